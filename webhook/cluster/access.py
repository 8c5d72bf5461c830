"""Where the API server is and who we are to it: the pod's service account, or a kubeconfig."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from kubernetes_asyncio.client import Configuration
from kubernetes_asyncio.config import load_incluster_config, load_kube_config
from kubernetes_asyncio.config.kube_config import KubeConfigLoader

from webhook.cluster.errors import SHOWN
from webhook.display import short
from webhook.errors import CannotRunError

DEFAULT_KUBECONFIG: Final = "~/.kube/config"

RENEWAL: Final = 60.0
"""Seconds after which a kubeconfig's token file or plugin is asked again; the library does so for a service account."""


async def access(kubeconfig: Path | None = None, environment: Mapping[str, str] = os.environ) -> Configuration:
    """Return how to reach the API server. Raises CannotRunError.

    The first of these that there is: `kubeconfig`, the files that $KUBECONFIG names, the pod's service account,
    ~/.kube/config.
    """
    named = str(kubeconfig) if kubeconfig else environment.get("KUBECONFIG", "")
    in_pod = not named and "KUBERNETES_SERVICE_HOST" in environment
    source = "the service account" if in_pod else named or DEFAULT_KUBECONFIG
    if not in_pod and not _exists(source):
        raise CannotRunError(f"no access to a cluster by {source}: no such file")
    configuration = Configuration()
    # Python 3.13 refuses a CA without key identifiers, as many clusters still have it; Go never did. The certificate is
    # verified all the same.
    configuration.disable_strict_ssl_verification = True
    try:
        if in_pod:
            load_incluster_config(configuration, environ=environment)  # type: ignore[no-untyped-call]
        else:
            loader = await load_kube_config(source, client_configuration=configuration)
            configuration.refresh_api_key_hook = _renewing(loader, configuration)
    except Exception as error:  # the library checks little: a bad file ends in errors of any kind
        cause = short(f"{type(error).__name__}: {error}", SHOWN)
        raise CannotRunError(f"no access to a cluster by {source}: {cause}") from error
    return configuration


def _exists(files: str) -> bool:
    return any(Path(each).expanduser().is_file() for each in files.split(os.pathsep) if each)


def _renewing(loader: KubeConfigLoader, configuration: Configuration) -> Callable[[Configuration], Awaitable[None]]:
    due = time.monotonic() + RENEWAL

    async def renew(_: Configuration) -> None:
        nonlocal due
        if time.monotonic() < due:
            return
        due = time.monotonic() + RENEWAL
        await loader.load_and_set(configuration)

    return renew
