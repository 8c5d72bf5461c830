"""Why the program stops."""

from __future__ import annotations

from webhook.display import escape


class CannotRunError(Exception):
    """The program cannot do its work here: a port is taken, a certificate is unusable.

    `str()` is one line for the person who started it; the command exits with code 3.
    """


class InputError(Exception):
    """What a person gave cannot be used.

    `str()` is one line for each mistake, with the place; the command exits with code 2. The lines may hold text from files:
    it is escaped here.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(map(escape, lines)))
