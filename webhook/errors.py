"""Why the program stops."""

from __future__ import annotations


class CannotRunError(Exception):
    """The program cannot do its work here: a port is taken, a certificate is unusable.

    `str()` is one line for the person who started it; the command exits with code 3.
    """


class InputError(Exception):
    """What a person gave cannot be used.

    `str()` is one line (or one for each mistake) with the place; the command exits with code 2.
    """
