"""How many violations there were in each minute of the last hour, in all and by rule; in bounded memory."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from webhook.observe.incident import Incident

MINUTES: Final = 60

MOST_RULES: Final = 2_000
"""Rules whose minutes are remembered, 1.6 KB each."""

Outcome: TypeAlias = Literal["refused", "warned", "reported"]
"""What became of the write; a refused one may have been refused for another violation of it."""

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


class Minute(NamedTuple):
    """The violations of one minute; `number` counts minutes since the epoch."""

    number: int
    refused: int
    warned: int
    reported: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.refused + self.warned + self.reported


def outcome(incident: Incident) -> Outcome:
    """Return what became of a write."""
    if incident.denied:
        return "refused"
    return "warned" if incident.action == "Warn" else "reported"


def minute_of(at: datetime) -> int:
    """Return the number of the minute that a time is in."""
    return int(at.timestamp()) // 60


class Rates:
    """Counts of an hour. A minute takes the place of that of an hour before."""

    __slots__ = ("_counts", "_minutes")

    def __init__(self) -> None:
        self._minutes = array("I", bytes(4 * MINUTES))
        self._counts = {each: array("I", bytes(4 * MINUTES)) for each in OUTCOMES}

    def add(self, became: Outcome, minute: int) -> None:
        """Count a violation."""
        place = minute % MINUTES
        if self._minutes[place] != minute:
            self._minutes[place] = minute
            for counts in self._counts.values():
                counts[place] = 0
        self._counts[became][place] += 1

    def hour(self, until: int) -> list[Minute]:
        """Return the last hour, the minute `until` last. Safe from any thread; the last minute may still grow."""
        return [self._minute(number) for number in range(until - MINUTES + 1, until + 1)]

    def total(self, until: int) -> int:
        """Return how many violations there were in the last hour."""
        places = [place for place, number in enumerate(self._minutes) if until - MINUTES < number <= until]
        return sum(counts[place] for counts in self._counts.values() for place in places)

    def _minute(self, number: int) -> Minute:
        place = number % MINUTES
        if self._minutes[place] != number:
            return Minute(number, 0, 0, 0)
        return Minute(number, *(counts[place] for counts in self._counts.values()))


class RuleRates:
    """A sink of incidents: the rates in all, and of each rule."""

    def __init__(self, most_rules: int = MOST_RULES) -> None:
        self.all = Rates()
        self._most_rules = most_rules
        self._rules: OrderedDict[str, Rates] = OrderedDict()

    def __call__(self, incident: Incident) -> None:
        """Count an incident."""
        minute, became = minute_of(incident.at), outcome(incident)
        self.all.add(became, minute)
        rates = self._rules.get(incident.rule)
        if rates is None:
            rates = self._rules[incident.rule] = Rates()
            if len(self._rules) > self._most_rules:
                self._rules.popitem(last=False)
        self._rules.move_to_end(incident.rule)
        rates.add(became, minute)

    def by_rule(self) -> Mapping[str, Rates]:
        """Return the rates of each rule that was broken; the mapping itself does not change any more."""
        return dict(self._rules)
