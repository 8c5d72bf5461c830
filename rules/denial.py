"""The code and reason of a denial: what a rule may say of them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from rules.model import Model, Text, also_in_cel

REASONS: Final[dict[int, tuple[str, ...]]] = {
    400: ("BadRequest",),
    401: ("Unauthorized",),
    403: ("Forbidden",),
    404: ("NotFound",),
    405: ("MethodNotAllowed",),
    406: ("NotAcceptable",),
    409: ("Conflict", "AlreadyExists"),
    410: ("Gone", "Expired"),
    413: ("RequestEntityTooLarge",),
    415: ("UnsupportedMediaType",),
    422: ("Invalid",),
    429: ("TooManyRequests",),
    500: ("InternalError", "ServerTimeout"),
    503: ("ServiceUnavailable",),
    504: ("Timeout",),
}
"""The reasons that belong to each code (k8s.io/apimachinery `metav1.StatusReason`); the first is the default.

Nothing outside 400 to 599 is possible: the API server panics on a code of 1000 and turns 200 into 400.
"""


class Denial(Model):
    """The code and reason of a denial, a pair that belongs together; one may be left out."""

    model_config = also_in_cel(("has(self.code) || has(self.reason)", "needs code or reason"))

    code: Annotated[int, Field(ge=400, le=599)] | None = Field(default=None, description="The HTTP code.")
    reason: Text | None = Field(default=None, description="The reason of the Status, as Conflict.")

    @model_validator(mode="after")
    def _belong_together(self) -> Denial:
        if self.code is None and self.reason is None:
            raise PydanticCustomError("denial", "needs `code` or `reason`")
        if self.code is not None and self.code not in REASONS:
            raise PydanticCustomError(
                "denial",
                "code {code} has no reason in Kubernetes; use one of {codes}",
                {"code": self.code, "codes": ", ".join(map(str, REASONS))},
            )
        if self.reason is not None and self.reason not in self._reasons():
            raise PydanticCustomError(
                "denial",
                "reason {reason} does not belong to {code}; expected {expected}",
                {
                    "reason": self.reason,
                    "code": f"code {self.code}" if self.code else "any code",
                    "expected": " or ".join(self._reasons()),
                },
            )
        return self

    def _reasons(self) -> tuple[str, ...]:
        if self.code is not None:
            return REASONS[self.code]
        return tuple(reason for reasons in REASONS.values() for reason in reasons)

    def pair(self) -> tuple[int, str]:
        """Return the code and the reason, the one left out filled in."""
        if self.code is not None:
            return self.code, self.reason or REASONS[self.code][0]
        return next((code, reason) for code, reasons in REASONS.items() for reason in reasons if reason == self.reason)
