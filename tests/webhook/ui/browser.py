"""Headless Chromium, for the tests of what a browser makes of a page."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")
PATIENCE = 60.0
"""Seconds after which a test gives up on the browser."""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not in PATH")

DARK = "--blink-settings=preferredColorScheme=0"

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-proxy-server"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)


@dataclass(frozen=True)
class Browser:
    """A browser with an empty profile for each page; `folder` is where these and screenshots go."""

    folder: Path

    def dom(self, url: str) -> str:
        """Return the document as it is once the page is loaded, as HTML."""
        return self._run("--dump-dom", url)

    def screenshot(self, url: str, name: str, width: int, height: int, *flags: str) -> Picture:
        """Return what is seen."""
        file = self.folder / f"{name}.png"
        self._run(f"--screenshot={file}", f"--window-size={width},{height}", *flags, url)
        return Picture(file.read_bytes())

    def _run(self, *words: str) -> str:
        assert CHROMIUM is not None
        profile = self.folder / "profile"
        shutil.rmtree(profile, ignore_errors=True)
        command = [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", *words]
        # A group of its own: the browser is several processes, and none may be left.
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": str(self.folder)},
        )
        try:
            out, _ = process.communicate(timeout=PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert process.returncode == 0
        return out.decode()


class Picture:
    """A screenshot: a PNG of 8 bits a channel."""

    def __init__(self, png: bytes) -> None:
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        self.width, self.height, depth, colours = struct.unpack(">IIBB", png[16:26])
        assert depth == 8
        self._channels = {2: 3, 6: 4}[colours]
        self._data = b"".join(_data(png))

    @property
    def corner(self) -> str:
        """The colour of the first pixel, as CSS writes it. No filter of PNG changes that one."""
        return f"#{zlib.decompress(self._data)[1:4].hex()}"


def _data(png: bytes) -> Iterator[bytes]:
    at = 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            yield png[at + 8 : at + 8 + length]
        at += length + 12


@contextmanager
def hosting(pages: Mapping[str, str], headers: Mapping[str, str]) -> Iterator[str]:
    """Serve pages by their path, with headers; give the address without a path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as in the base class
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
