"""Reading a file that a person names on the command line."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

from rules.documents import MAX_BYTES, Document, parse
from webhook.errors import InputError

SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})
"""What the names of files end in that are searched for in folders."""


def read_documents(path: Path) -> list[Document]:
    """Return the documents of a file. Raises DocumentError, and InputError for what is no file that can be read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path}: not a file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{path}: no file can have this name") from None
    return parse(content, str(path))
