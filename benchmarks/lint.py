"""What it costs to lint 1,000 rules: `make bench`. The rules are the library's, under other names, in one file."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path

from webhook.cli import main

RULES = 1_000


def many_rules() -> str:
    """Return 1,000 rule documents, each with a name of its own."""
    library = files("rules") / "library"
    texts = [(library / name).read_text("utf-8") for name in ("cluster-api.yaml", "pulumi.yaml", "generic.yaml")]
    documents = [document for text in texts for document in text.split("\n---\n")]
    named = enumerate(islice(cycle(documents), RULES))
    return "\n---\n".join(document.replace("metadata: {name: ", f"metadata: {{name: r{n}-", 1) for n, document in named)


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rules.yaml").write_text(many_rules(), "utf-8")
        start = time.process_time()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            main(["lint", folder])
        seconds = time.process_time() - start
    print(f"lint of {RULES} rules: {seconds:.2f} s of processor time ({said.getvalue().splitlines()[-1]})")


if __name__ == "__main__":
    run()
