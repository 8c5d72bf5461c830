"""Serving certificates for tests, and a client that trusts a bundle."""

from __future__ import annotations

import ssl
from datetime import timedelta

from webhook.certificates import self_signed
from webhook.cluster.certificate_material import Issued, issued

NAME = "statusguard.statusguard.svc"


def new_pair(name: str = NAME, days: int = 90) -> Issued:
    return issued(self_signed([name], lifetime=timedelta(days=days)))


def accepts(bundle: bytes, served: ssl.SSLContext, name: str = NAME) -> bool:
    """Tell whether a client that trusts `bundle` accepts what is served."""
    trusting = ssl.create_default_context(cadata=bundle.decode())
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server, server_hostname=name)
    server = served.wrap_bio(to_server, to_client, server_side=True)
    for end in (client, server) * 3:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLCertVerificationError:
            return False
    return client.version() is not None
