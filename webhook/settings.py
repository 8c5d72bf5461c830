"""Settings of `serve`: each is a flag, and a STATUSGUARD_... variable of the environment; the flag wins."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from rules.api import Action
from webhook.commands.arguments import field_path
from webhook.errors import InputError
from webhook.observe.log import Format, Level

PREFIX: Final = "STATUSGUARD_"

SWITCH: Final = ("on", "off")

SERVICE_LINK: Final = "tcp://"
"""What begins the STATUSGUARD_PORT that Kubernetes itself sets in every pod beside a Service called `statusguard`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `convert` raises ValueError or ArgumentTypeError for what is none; `repeatable` ones are lists.

    In the environment the values of a repeatable one are separated as in PATH, by `:`.
    """

    flag: str
    convert: Callable[[str], Any]
    default: Any
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    repeatable: bool = False

    @property
    def variable(self) -> str:
        """The name in the environment."""
        return PREFIX + self.flag.removeprefix("--").replace("-", "_").upper()

    def from_environment(self, environment: Mapping[str, str]) -> Any:
        """Return the value in the environment; the default if that is unset or empty. Raises InputError with the name."""
        written = environment.get(self.variable)
        if not written or written.startswith(SERVICE_LINK):
            return list(self.default) if self.repeatable else self.default
        try:
            return (
                [self.value(part) for part in written.split(os.pathsep) if part]
                if self.repeatable
                else self.value(written)
            )
        except (ValueError, argparse.ArgumentTypeError) as error:
            raise InputError(f"{self.variable}: {error}") from None

    def value(self, written: str) -> Any:
        """Return the value that is written."""
        if self.choices and written not in self.choices:
            raise ValueError(f"{written!r} is none of {', '.join(self.choices)}")
        return self.convert(written)


def port(written: str) -> int:
    """Return a TCP port; 0 lets the system choose."""
    if not written.isascii() or not written.isdigit() or int(written) > 65_535:
        raise argparse.ArgumentTypeError(f"{written!r} is no port: a number from 0 to 65535")
    return int(written)


def seconds(written: str) -> float:
    """Return a time in seconds."""
    try:
        value = float(written)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3_600:
        raise argparse.ArgumentTypeError(f"{written!r} is no time: seconds, from 0 to 3600")
    return value


def hours(written: str) -> float:
    """Return a time in hours."""
    try:
        value = float(written)
    except ValueError:
        value = -1.0
    if not 0 < value <= 8_760:
        raise argparse.ArgumentTypeError(f"{written!r} is no time: hours, more than 0 and at most 8760")
    return value


SETTINGS: Final = (
    Setting(
        "--rules", Path, (), "a rule file, or a folder of them; may be given several times", "PATH", repeatable=True
    ),
    Setting("--host", str, "0.0.0.0", "the address to listen on (default: all)", "ADDRESS"),  # noqa: S104  as every pod does
    Setting("--port", port, 8443, "the port for reviews: POST /validate over TLS (default: 8443)", "PORT"),
    Setting("--ops-port", port, 8080, "the port for /metrics, /healthz, /readyz and /ui (default: 8080)", "PORT"),
    Setting("--ui", str, "on", "the read-only web page /ui on the ops port (default: on)", choices=SWITCH),
    Setting("--tls-cert", Path, None, "the serving certificate with its chain, PEM (default: one of its own)", "FILE"),
    Setting("--tls-key", Path, None, "the certificate's key, PEM", "FILE"),
    Setting("--action", str, None, "replaces the action of every rule", choices=get_args(Action)),
    Setting(
        "--sensitive-path", field_path, (), "a field whose value is never printed; repeatable", "FIELD", repeatable=True
    ),
    Setting("--namespace", str, "statusguard", "in a cluster: our namespace (default: statusguard)", "NAME"),
    Setting("--service", str, "statusguard", "in a cluster: our Service (default: statusguard)", "NAME"),
    Setting("--service-port", port, 443, "in a cluster: the port of our Service (default: 443)", "PORT"),
    Setting("--webhook-url", str, None, "in a cluster: how the API server reaches us without a Service", "URL"),
    Setting("--secret", str, "statusguard-tls", "in a cluster: the Secret with our certificate", "NAME"),
    Setting("--cluster-role", str, "statusguard", "in a cluster: the ClusterRole that owns what we write", "NAME"),
    Setting(
        "--certificates",
        str,
        "self-signed",
        "in a cluster: whose certificates; cert-manager's are in --tls-cert and --tls-key",
        choices=("self-signed", "cert-manager"),
    ),
    Setting(
        "--guarded",
        str,
        (),
        "pods, nodes, persistentvolumes: may be more than reported; repeatable",
        "RESOURCE",
        repeatable=True,
    ),
    Setting(
        "--namespaced-deny",
        str,
        (),
        "resource.group that a StatusRule may refuse; * is any; repeatable",
        "RESOURCE",
        repeatable=True,
    ),
    Setting(
        "--events",
        str,
        "on",
        "in a cluster: Kubernetes Events on what was written wrongly (default: on)",
        choices=SWITCH,
    ),
    Setting("--reports", str, "on", "in a cluster: policy reports, if it has them (default: on)", choices=SWITCH),
    Setting("--report-retention", hours, 24.0, "hours that a report keeps an entry (default: 24)", "HOURS"),
    Setting("--drain-delay", seconds, 5.0, "seconds to go on accepting after SIGTERM (default: 5)", "SECONDS"),
    Setting("--log-format", str, "auto", "how log lines look (default: auto)", choices=get_args(Format)),
    Setting("--log-window", seconds, 60.0, "seconds in which what repeats has one line (default: 60)", "SECONDS"),
    Setting("--log-level", str, "info", "which log lines there are (default: info)", choices=get_args(Level)),
)


def add_settings(parser: argparse.ArgumentParser, environment: Mapping[str, str] = os.environ) -> None:
    """Add every setting to a command's arguments; `effective` looks up in the environment what these leave out."""
    for setting in SETTINGS:
        parser.add_argument(
            setting.flag,
            action="append" if setting.repeatable else "store",
            type=setting.convert,
            choices=setting.choices,
            metavar=setting.metavar,
            help=f"{setting.help} [{setting.variable}]",
        )
    parser.set_defaults(settings_environment=environment)


def effective(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the value of every setting by the name of its flag: flag, else environment, else default. Raises InputError."""
    found: dict[str, Any] = {}
    for setting in SETTINGS:
        name = setting.flag.removeprefix("--").replace("-", "_")
        given = getattr(arguments, name)
        found[name] = setting.from_environment(arguments.settings_environment) if given is None else given
    return found
