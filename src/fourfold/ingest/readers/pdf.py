"""PDF → a document: the text of its pages, cut at them."""

from __future__ import annotations

import io
from typing import Any

from fourfold.errors import InvalidValueError, MissingExtraError
from fourfold.ingest.documents import Section
from fourfold.ingest.readers.parsed import Parsed, without_halves
from fourfold.lazy import load


def read_pdf(data: bytes) -> Parsed:
    """Read PDF; pages that cannot be read are named in ``problem``, author and number of pages are metadata.

    Raises:
        InvalidValueError: it is no PDF, asks for a password, or holds no text.
        MissingExtraError: pypdf is not installed, or what it needs for an encrypted file.

    """
    pypdf, errors = (load(module, "Reading PDF", extra="ingest") for module in ("pypdf", "pypdf.errors"))
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InvalidValueError("the file asks for a password.")
        count = len(reader.pages)
    except errors.DependencyError as error:
        raise MissingExtraError(f"Reading this encrypted PDF needs more: {error}.") from error
    except errors.PyPdfError as error:
        raise InvalidValueError(f"the file is no PDF that can be read: {error}.") from error
    sections, broken = [], []
    for number in range(count):
        try:
            text = reader.pages[number].extract_text()
        except Exception as error:  # one page's fonts may be broken in any way, and the others be whole
            broken.append(f"page {number + 1}: {type(error).__name__}")
            continue
        sections.append(Section(f"{without_halves(text).strip()}\n\n", f"page {number + 1}"))
    sections = [section for section in sections if section.text.strip()]
    told = f"{len(broken):,} of {count:,} pages cannot be read ({', '.join(broken[:5])})"
    if not sections and broken:
        raise InvalidValueError(f"the file holds no text that can be read: {told}.")
    if not sections:
        raise InvalidValueError("the file holds no text; its pages may be images.")
    parsed = Parsed("".join(section.text for section in sections).strip(), sections=tuple(sections))
    parsed.title, author = _fact(reader, "/Title"), _fact(reader, "/Author")
    parsed.metadata = {"pages": count, **({"author": author} if author else {})}
    if broken:
        parsed.problem = f"{told}; the others were."
    return parsed


def _fact(reader: Any, name: str) -> str:
    """Return a fact about the document in one line; "" for one that says nothing."""
    try:
        value = (reader.metadata or {}).get(name)
    except Exception:  # broken facts do not take the pages along
        return ""
    words = without_halves(" ".join(str(value).split())[:500]) if isinstance(value, str) else ""
    return "" if words.lower() == "untitled" else words
