"""YAML text -> documents: libyaml's events, read by the core schema of YAML 1.2, which knows no merge keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import yaml

from rules.document_tree import Built, TreeBuilder
from rules.places import DocumentError, SourceText, quoted
from rules.scalars import Scalar, plain_scalar

# A PyYAML that was built without libyaml has the same events, twenty times slower.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TAG_PREFIX: Final = "tag:yaml.org,2002:"
_STRING_TAG: Final = _TAG_PREFIX + "str"
_MAPPING_TAG: Final = _TAG_PREFIX + "map"
_LIST_TAG: Final = _TAG_PREFIX + "seq"
_PLAIN_TAGS: Final[dict[str, tuple[type, ...]]] = {
    _TAG_PREFIX + "int": (int,),
    _TAG_PREFIX + "float": (int, Decimal),
    _TAG_PREFIX + "bool": (bool,),
    _TAG_PREFIX + "null": (type(None),),
}

_NOT_PRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The complement of c-printable, YAML 1.2.2 section 5.1."""

_TAG_DIRECTIVE: Final = re.compile(r"^%TAG\b", re.MULTILINE)


def read_yaml(text: SourceText) -> Iterator[Built]:
    """Yield the documents of `text`, empty ones left out; DocumentError at the first thing that is wrong."""
    if unprintable := _NOT_PRINTABLE.search(text.text):
        raise text.error(unprintable.start(), f"U+{ord(unprintable[0]):04X} is not allowed in YAML")
    if directive := _TAG_DIRECTIVE.search(text.text):
        # libyaml compares each directive with all before it: a 3 MiB file of them took 90 s.
        raise text.error(directive.start(), "%TAG is not supported: no tags but YAML's own are")
    reader = _Reader(text)
    try:
        for event in yaml.parse(text.text, Loader=_LOADER):
            built = reader.read(event)
            if built is not None:
                yield built
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text) from None
    except (yaml.YAMLError, OverflowError, ValueError) as error:
        # Without libyaml an escape beyond Unicode fails in chr(), without a place.
        raise text.error(reader.reached, " ".join(str(error).split())) from None


class _Reader:
    """Turns events into calls of the tree builder."""

    __slots__ = ("_builder", "_text", "reached")

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._builder = TreeBuilder(text)
        self.reached = 0

    def read(self, event: yaml.Event) -> Built | None:
        """Take the next event; return the document that it completes, if it does and is not empty."""
        start, self.reached = _index(event.start_mark), _index(event.end_mark)
        match event:
            case yaml.ScalarEvent(tag=None, value="<<", implicit=(True, _)) if self._builder.expects_key:
                # YAML 1.2 has no merge keys any more, but Kubernetes' tools and people do.
                self._builder.merge_key(start)
            case yaml.ScalarEvent():
                self._builder.scalar(self._scalar(event, start), start, self.reached, event.anchor)
            case yaml.MappingStartEvent():
                self._check_tag(event.tag, _MAPPING_TAG, start)
                self._builder.open_mapping(start, event.anchor)
            case yaml.SequenceStartEvent():
                self._check_tag(event.tag, _LIST_TAG, start)
                self._builder.open_list(start, event.anchor)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._builder.close()
            case yaml.AliasEvent(anchor=str(anchor)):
                self._builder.alias(anchor, start)
            case yaml.DocumentEndEvent():
                return self._finish()
        return None

    def _finish(self) -> Built | None:
        built = self._builder.finish()
        is_empty = built is not None and built.data is None and built.node.start == built.node.end
        return None if is_empty else built

    def _scalar(self, event: yaml.ScalarEvent, start: int) -> Scalar:
        tag, value, plain = event.tag, event.value, event.implicit[0]
        if tag is None:
            if not plain:
                return value
            return self._plain(value, start)
        if tag == _STRING_TAG:
            return value
        kinds = _PLAIN_TAGS.get(tag)
        if kinds is None:
            raise self._tag_error(tag, start)
        scalar = self._plain(value, start)
        if type(scalar) not in kinds:
            raise self._text.error(start, f"{quoted(value)} is no {tag.removeprefix(_TAG_PREFIX)}")
        return scalar

    def _plain(self, value: str, start: int) -> Scalar:
        try:
            return plain_scalar(value)
        except ValueError as error:
            raise self._text.error(start, str(error)) from None

    def _check_tag(self, tag: str | None, expected: str, start: int) -> None:
        if tag is not None and tag != expected:
            raise self._tag_error(tag, start)

    def _tag_error(self, tag: str, start: int) -> DocumentError:
        return self._text.error(
            start, f"tag {quoted(tag.replace(_TAG_PREFIX, '!!'))} is not supported here: leave it out"
        )


def _index(mark: Any) -> int:
    return mark.index if mark is not None else 0


def _syntax_error(error: yaml.MarkedYAMLError, text: SourceText) -> DocumentError:
    index = _index(error.problem_mark)
    if text.text[index : index + 1] == "\t":
        return text.error(index, "a tab may not be used for indentation: use spaces")
    message = error.problem or "no YAML"
    began = _index(error.context_mark)
    if error.context and began != index:
        place = text.place(began)
        message += f" {error.context} that begins at line {place.line}, column {place.column}"
    return text.error(index, " ".join(message.split()))
