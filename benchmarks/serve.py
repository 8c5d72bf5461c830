"""Requests a second and latency over TLS, with a reviewer that answers at once: what the server itself costs.

    python benchmarks/serve.py --connections 8 --seconds 5 --bytes 3000

The server runs in a process of its own; the client shares the machine with it, so its work is in the numbers too.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import signal
import ssl
import time
from multiprocessing.connection import Connection

import uvloop

from webhook.certificates import self_signed
from webhook.observe.log import configure
from webhook.observe.metrics import Metrics
from webhook.server import Answer, ServerConfig, serve

ANSWER = b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"x","allowed":true}}'


class Accepting:
    def review(self, _body: bytes, _entry: str | None) -> Answer:
        return Answer(200, ANSWER)


async def run_server(pipe: Connection) -> None:
    configure(level="warning")
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    certificate = self_signed()
    config = ServerConfig(host="127.0.0.1", port=0, ops_port=0, drain_delay=0)
    server = await serve(config, Accepting(), certificate=certificate, metrics=Metrics(), unready=lambda: None)
    pipe.send((server.port, certificate.authority.decode()))
    await stop.wait()
    used = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send((used.ru_utime + used.ru_stime, used.ru_maxrss))
    await server.drain()


def start_server(pipe: Connection) -> None:
    uvloop.run(run_server(pipe))


async def ask(port: int, context: ssl.SSLContext, request: bytes, until: float) -> list[float]:
    """Send the request over one connection again and again; return how long each answer took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="localhost")
    taken = []
    while (start := time.perf_counter()) < until:
        writer.write(request)
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(len(ANSWER))
        taken.append(time.perf_counter() - start)
    writer.close()
    return taken


async def load(port: int, authority: str, connections: int, seconds: float, size: int) -> list[float]:
    context = ssl.create_default_context(cadata=authority)
    head = f"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    request = head.encode() + b" " * size
    until = time.perf_counter() + seconds
    taken = await asyncio.gather(*(ask(port, context, request, until) for _ in range(connections)))
    return sorted(each for connection in taken for each in connection)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--bytes", type=int, default=3000)
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=start_server, args=(theirs,))
    server.start()
    port, authority = ours.recv()
    taken = uvloop.run(load(port, authority, arguments.connections, arguments.seconds, arguments.bytes))
    server.terminate()
    processor_seconds, peak_kib = ours.recv()
    server.join()
    print(
        f"{arguments.connections} connections, {arguments.bytes} bytes: {len(taken) / arguments.seconds:.0f} requests/s"
    )
    print(
        f"latency: median {quantile(taken, 0.5):.2f} ms, 99% {quantile(taken, 0.99):.2f} ms, worst {taken[-1] * 1e3:.2f} ms"
    )
    print(
        f"server: {processor_seconds / len(taken) * 1e6:.0f} us of CPU a request (start included), {peak_kib // 1024} MiB"
    )


def quantile(values: list[float], fraction: float) -> float:
    """Return a quantile of sorted seconds in milliseconds."""
    return values[int(len(values) * fraction)] * 1e3


if __name__ == "__main__":
    main()
