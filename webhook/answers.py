"""Answers of the server's own: one line of plain text each."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

SERVER = "statusguard"
"""What the Server header says, instead of the versions of Python and aiohttp."""


def plain(status: int, message: str) -> web.Response:
    """Return an answer whose body is `message`, one line without its end."""
    return web.Response(status=status, text=f"{message}\n", headers={"Server": SERVER})


def plain_bytes(status: int, message: str) -> bytes:
    """Return the same as it goes over the wire, for a connection on which no request was understood."""
    return (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(message) + 1}\r\n"
        f"Server: {SERVER}\r\n"
        "Connection: close\r\n"
        "\r\n"
        f"{message}\n"
    ).encode("ascii")
