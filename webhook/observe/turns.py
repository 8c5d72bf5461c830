"""Whose turn it is to be said: what repeats is said once in a while, with how often it was left out.

Pure: who asks says what time it is. No count is ever lost: what was held back is said when its window ends.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

MAX_OBJECTS: Final = 10
"""Objects of which it is said in a window that one writer breaks one invariant. Who does it to thousands does the same to all
of them."""

MAX_BREACHES: Final = 200
"""(rule, invariant, writer) of which something is said in a window, so that no number of writers floods the log."""


class Object(NamedTuple):
    """An object; `name` is with its namespace."""

    group: str
    resource: str
    name: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Who breaks what: a writer an invariant of a rule, on an object.

    Without an object all those objects are meant that are not said, and without a rule all else.
    """

    rule: str = ""
    invariant: str = ""
    writer: str = ""
    object: Object | None = None


_ALL_ELSE: Final = Subject()


@dataclass(slots=True)
class _Window:
    until: float
    held_back: int = 0


_Windows = OrderedDict[Subject, _Window]


class Turns:
    """All windows are as long as each other, so the one that was opened first ends first."""

    def __init__(self, window: float) -> None:
        """Make windows of so many seconds."""
        self._window = window
        self._said: _Windows = OrderedDict()
        self._crowds: _Windows = OrderedDict()
        self._open: Counter[Subject] = Counter()

    def admit(self, subject: Subject, now: float) -> bool:
        """Return whether a violation has a line of its own; else it is held back. Take what has `ended` by then first."""
        if (known := self._said.get(subject)) is not None:
            known.held_back += 1
            return False
        crowd = replace(subject, object=None)
        if self._open[crowd] < MAX_OBJECTS and (crowd in self._open or len(self._open) < MAX_BREACHES):
            self._open[crowd] += 1
            self._said[subject] = _Window(now + self._window)
            return True
        if crowd not in self._crowds and (crowd not in self._open or len(self._crowds) > MAX_BREACHES):
            crowd = _ALL_ELSE
        self._crowds.setdefault(crowd, _Window(now + self._window)).held_back += 1
        return False

    def ended(self, now: float) -> list[tuple[Subject, int]]:
        """Return what was held back in windows that have ended. That is said now, and opens another window."""
        due = []
        for windows in (self._said, self._crowds):
            while windows and (window := next(iter(windows.values()))).until <= now:
                subject, _ = windows.popitem(last=False)
                if window.held_back:
                    due.append((subject, window.held_back))
                    windows[subject] = _Window(now + self._window)
                else:
                    self._forget(subject)
        return due

    def _forget(self, subject: Subject) -> None:
        if subject.object is None:
            return
        crowd = replace(subject, object=None)
        self._open[crowd] -= 1
        if not self._open[crowd]:
            del self._open[crowd]

    def rest(self) -> list[tuple[Subject, int]]:
        """Return all that is held back, and begin anew."""
        held = [
            (subject, window.held_back)
            for windows in (self._said, self._crowds)
            for subject, window in windows.items()
            if window.held_back
        ]
        for kept in (self._said, self._crowds, self._open):
            kept.clear()
        return held
