"""An e-mail (.eml) → a document: sender, receivers, date and what it says; it is linked to the one that it answers."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.html import parse_html
from fourfold.ingest.readers.parsed import Parsed, plain_lines, without_halves

_TOLD = ("From", "To", "Cc", "Date")


def read_mail(data: bytes) -> Parsed:
    """Read an e-mail; of attachments the names. Its date is metadata in ISO 8601, its Message-ID is an alias.

    Raises:
        InvalidValueError: it has neither a sender nor a subject.
        MissingExtraError: it is written in HTML, and lxml is not installed.

    """
    mail = BytesParser(EmailMessage, policy=policy.default).parsebytes(data)
    head = {name: _line(mail, name) for name in _TOLD}
    title = _line(mail, "Subject")
    if not head["From"] and not title:
        raise InvalidValueError("the file is no e-mail: it has neither a sender nor a subject.")
    attached = [name for part in mail.iter_attachments() if (name := part.get_filename())]
    lines = [f"{name}: {value}" for name, value in head.items() if value]
    lines += [f"Attachment: {without_halves(name)}" for name in attached]
    date = getattr(mail["Date"], "datetime", None)
    return Parsed(
        "\n".join(lines) + f"\n\n{_body(mail)}",
        title,
        {
            "from": head["From"],
            "to": head["To"],
            **({"date": date.isoformat()} if date else {}),
            **({"aliases": [own]} if (own := _line(mail, "Message-ID")) else {}),
        },
        wiki_links=[answered] if (answered := _line(mail, "In-Reply-To")) else [],
    )


def _line(mail: EmailMessage, name: str) -> str:
    return without_halves(" ".join(str(mail[name] or "").split()))


def _body(mail: EmailMessage) -> str:
    """Return what a mail says, as plain text where it has that form."""
    part = mail.get_body(("plain", "html"))
    if part is None:
        return ""
    try:
        content = part.get_content()
    except (LookupError, UnicodeError):  # no charset that Python reads: "unknown-8bit" is what some servers say of any
        content = bytes(part.get_payload(decode=True)).decode(errors="replace")
    text = without_halves(content)
    return (parse_html(text).text if part.get_content_subtype() == "html" else plain_lines(text)).strip()
