"""What a CustomResourceDefinition's own validations do not say, beside `rules.native.losses`."""

from __future__ import annotations

from typing import Final

NOT_AHEAD: Final = "a value ahead of metadata.generation passes, and its repair is refused: metadata cannot be read"
TIME_TEXT: Final = "times are compared as instants (format: date-time), not as they are written"
DOUBLE: Final = "numbers that are no integers are doubles: two that differ after 15 digits may be taken for equal"
ESCAPED: Final = (
    "not asked when the object is created: with optionalOldSelf the API server loses names that have to be escaped"
)
OVERFLOW: Final = "a sum beyond 64 bits is an error, which refuses the write"
TWINS: Final = (
    "of several items with one key each is compared with each that was there before, not the first with the first"
)
ANY_ORDER: Final = "the order of lists that are maps or sets does not count where a value is compared as a whole"
ON_MAIN: Final = "writes of the resource itself are judged too when they change what is read outside of the status"
ON_STATUS: Final = "writes of the status are judged too when they change what is read of the status"

ALWAYS_422: Final = "a denial is 422 Invalid"
NOTHING_ELSE: Final = "no metric, no Event, no report, no audit annotation; who wrote the field last is not said"
FOR_EVERYBODY: Final = "exemptions: a schema knows no users, so nobody is exempt"
WHILE_DELETING: Final = "an object that is being deleted is judged like any other"
REFUSES: Final = "a schema can only refuse"

METADATA: Final = "of metadata a schema's rules read only the name"
"""Why a clause, or one whose `when` reads it, is left out."""
