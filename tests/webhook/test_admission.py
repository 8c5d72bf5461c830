"""Every row of the table of inputs that is the server's, over TLS."""

from __future__ import annotations

import gzip
import select

import pytest

from webhook.limits import MIB
from webhook.server import Answer

from .conftest import Serving
from .running import CONTINUE, Echo, LogCapture, Reply, Running, at_end, drip, receive, review


@pytest.fixture
def server(serving: Serving) -> Running:
    return serving()


def refused(reply: Reply, status: int) -> bool:
    """Tell whether an answer is one line of plain text with this status."""
    return (
        reply.status == status
        and reply.headers["Content-Type"] == "text/plain; charset=utf-8"
        and reply.body.endswith(b"\n")
        and reply.body.count(b"\n") == 1
    )


def test_a_review_is_answered_by_the_reviewer(serving: Serving) -> None:
    reviewer = Echo()
    server = serving(reviewer)
    reply = server.send(review(b'{"a": 1}'))
    assert (reply.status, reply.body, reply.closes) == (200, b'{"a": 1}', False)
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["Server"] == "statusguard"
    assert server.send(review(b"1", "/validate/apps.Ignore?timeout=2s")).status == 200
    assert reviewer.entries == [None, "apps.Ignore"]
    assert server.metrics.failures() == {}


def test_the_reviewers_own_refusal_goes_out_as_it_is(serving: Serving) -> None:
    class Refusing:
        def review(self, body: bytes, _entry: str | None) -> Answer:
            return Answer(200, body) if body == b"still here?" else Answer(400, b"not JSON\n", "text/plain")

    reply = serving(Refusing()).send(review(b"nonsense"))
    assert (reply.status, reply.body, reply.headers["Content-Type"]) == (400, b"not JSON\n", "text/plain")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_other_methods_are_405(server: Running, method: str) -> None:
    reply = server.send(review(method=method))
    assert refused(reply, 405)
    assert reply.headers["Allow"] == "POST"
    server.metrics.wait_for_failures(method=1)


@pytest.mark.parametrize(
    "path", ["/", "/validate/", "/validate/a/b", "/validated", "/metrics", "//validate", "*", "/%ff"]
)
def test_other_paths_are_404(server: Running, path: str) -> None:
    method = "OPTIONS" if path == "*" else "POST"
    assert refused(server.send(review(path=path, method=method)), 404)
    server.metrics.wait_for_failures(path=1)


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/json; charset=latin-1", "application/jsonp", ";;=", "a/b/c"]
)
def test_a_wrong_or_missing_content_type_is_415(server: Running, kind: str) -> None:
    assert refused(server.send(review(Content_Type=kind)), 415)
    server.metrics.wait_for_failures(content_type=1)


@pytest.mark.parametrize(
    "kind", ["application/json; charset=UTF-8", "application/json;charset=utf-8", "Application/JSON"]
)
def test_all_spellings_of_json_are_taken(server: Running, kind: str) -> None:
    assert server.send(review(Content_Type=kind)).status == 200


def test_a_gzip_bomb_is_not_even_opened(server: Running) -> None:
    bomb = gzip.compress(bytes(64 * MIB))
    assert refused(server.send(review(bomb, Content_Encoding="gzip")), 415)
    server.metrics.wait_for_failures(content_encoding=1)


def test_a_body_of_8_mib_is_taken(server: Running) -> None:
    body = b"x" * (8 * MIB)
    assert server.send(review(body)).body == body


def test_an_announced_body_that_is_too_large_is_413_before_it_is_sent(server: Running) -> None:
    reply = server.send(review(b"", Content_Length=str(8 * MIB + 1)))
    assert refused(reply, 413)
    assert reply.closes
    server.metrics.wait_for_failures(too_large=1)


def test_a_body_that_turns_out_too_large_is_413(serving: Serving) -> None:
    server = serving(limits={"body": 100_000})
    with server.connect() as connection:
        connection.sendall(chunked(b"x" * 50_000, b"y" * 50_001))
        assert refused(receive(connection), 413)
    server.metrics.wait_for_failures(too_large=1)


def test_a_byte_a_second_is_408_and_the_connection_closed(serving: Serving) -> None:
    server = serving(limits={"receive": 0.3})
    with server.connect_quietly() as connection:
        connection.sendall(review(b"", Content_Length="1000"))
        assert drip(connection, b"x") > 3
        reply = receive(connection)
        assert refused(reply, 408)
        assert reply.closes
        assert at_end(connection)
    server.metrics.wait_for_failures(timeout=1)


def test_large_bodies_are_bounded_together(serving: Serving) -> None:
    server = serving(limits={"bodies": 300_000})
    large, small = b"x" * 200_000, b"y" * 150_000
    with server.connect() as known, server.connect() as stranger:
        known.sendall(review())
        assert receive(known).status == 200
        known.sendall(review(small, Content_Length="150001"))
        stranger.sendall(review(large, Content_Length="200001"))
        assert refused(receive(stranger), 503)
        known.sendall(b"y")
        assert receive(known).body == small + b"y"
    server.metrics.wait_for_failures(overloaded=1)
    assert server.send(review(large)).status == 200


def test_of_two_strangers_the_one_with_the_larger_body_gives_way(serving: Serving) -> None:
    server = serving(limits={"bodies": 300_000})
    with server.connect_quietly() as connection:
        connection.sendall(review(b"x" * 250_000, Content_Length="250001"))
        # Only once all of it has arrived is there no room for another.
        while not select.select([connection], [], [], 0)[0]:
            assert server.send(review(b"y" * 100_000)).status == 200
        assert refused(receive(connection), 503)
    server.metrics.wait_for_failures(overloaded=1)


def test_a_chunked_body_is_taken(server: Running) -> None:
    assert server.send(chunked(b'{"a"', b": 1}")).body == b'{"a": 1}'


def test_broken_chunks_are_400(server: Running) -> None:
    reply = server.send(chunked().replace(b"0\r\n\r\n", b"zz\r\n"))
    assert refused(reply, 400)
    assert reply.closes
    server.metrics.wait_for_failures(malformed_http=1)


def test_chunks_that_turn_out_broken_are_refused_in_time(serving: Serving) -> None:
    server = serving(limits={"receive": 0.3})
    with server.connect_quietly() as connection:
        connection.sendall(review(b"", Content_Length="", Transfer_Encoding="chunked", Expect="100-continue"))
        assert connection.recv(100) == CONTINUE
        connection.sendall(b"2\r\n{}\r\nzz\r\n")
        reply = receive(connection)
        # aiohttp's parser in C does not tell the handler, whose clock then runs out; the one in Python does.
        assert refused(reply, 408) or refused(reply, 400)
        assert reply.closes
    assert sum(server.metrics.failures().values()) == 1


def test_who_waits_for_it_is_asked_for_the_body(server: Running) -> None:
    request = review(b"{}", Expect="100-continue")
    with server.connect() as connection:
        connection.sendall(request[:-2])
        assert connection.recv(100) == CONTINUE
        connection.sendall(request[-2:])
        assert receive(connection).body == b"{}"


def test_nobody_is_asked_for_a_body_that_will_be_refused(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(review(b"", Expect="100-continue", Content_Type="text/plain", Content_Length="9"))
        assert connection.recv(12) == b"HTTP/1.1 415"


def test_a_bug_in_the_reviewer_is_500_and_logged_once(serving: Serving, log: LogCapture) -> None:
    class Buggy:
        def review(self, body: bytes, _entry: str | None) -> Answer:
            if body == b"still here?":
                return Answer(200, body)
            raise KeyError("secret")

    server = serving(Buggy(), bugs_expected=True)
    reply = server.send(review())
    assert refused(reply, 500)
    assert b"secret" not in reply.body
    (event,) = log.named("request failed")
    assert "KeyError: 'secret'" in event["exception"]
    server.metrics.wait_for_failures(internal=1)


def chunked(*chunks: bytes) -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return review(b"", Content_Length="", Transfer_Encoding="chunked") + body + b"0\r\n\r\n"
