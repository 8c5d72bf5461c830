"""What the API server's CEL has and ours has not: an expression that uses it is told so, not only that a name is unknown."""

from __future__ import annotations

from typing import Final

_FUNCTION: Final = "a function of the API server that is not available here"

_FUNCTIONS: Final = (
    "annotations asApproximateFloat asInteger cidr compareTo containsCIDR containsIP existsOne family find findAll format "
    "getEscapedPath getHost getHostname getPort getQuery getScheme ip isCIDR isCanonical isGlobalUnicast isGreaterThan isIP "
    "isInteger isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isQuantity isSemver isSorted isURL isUnspecified "
    "jsonpatch major masked max min minor patch prefixLength quantity semver sets sign sub sum transformList transformMap "
    "transformMapEntry url validate"
)
"""Functions, and the names before the `.` of others, of Kubernetes 1.36."""

UNAVAILABLE: Final = {
    **dict.fromkeys(_FUNCTIONS.split(), _FUNCTION),
    **dict.fromkeys(
        ("all", "exists", "exists_one"), "with two variables a macro of the API server that is not available here"
    ),
    "authorizer": "not available here: it would have to ask the API server",
    "cel": "not available here, nor in the API server",
    "params": "a variable of ValidatingAdmissionPolicy that rules do not have",
    "variables": "a variable of ValidatingAdmissionPolicy that rules do not have",
}
"""Names, and what is said of each."""
