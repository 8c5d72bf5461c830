"""The recordings in `tests/data`: AdmissionReviews as a real API server sent them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import msgspec

from .golden import DATA


class Recorded(msgspec.Struct, frozen=True):
    """One write: what it is, and the review that the API server sent."""

    write: str
    review: msgspec.Raw


def recorded(name: str) -> Iterator[Recorded]:
    """Yield the writes of a file, in order."""
    decoder = msgspec.json.Decoder(Recorded)
    with gzip.open(DATA / name) as lines:
        yield from map(decoder.decode, lines)
