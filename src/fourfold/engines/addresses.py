"""What the addresses of all engines have in common: options after the question mark, and a password nobody is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from fourfold.arguments import shown
from fourfold.errors import StoreError

_MOST = 1_000_000

_HOST = re.compile(r"(?:\[[^\[\]]*\]|[^\[\]:]*)(?::\d*)?")
_NO_TOKEN = re.compile(r"%(?![0-9A-Fa-f]{2})|%00|\s")


def parts_of(url: str) -> SplitResult:
    """Return the parts of an address.

    Raises:
        StoreError: a character stands as it is that separates parts, so that a piece of the password may have come
            into another part; the sentence shows nothing of them.

    """
    told = f"The address {url.partition(':')[0]}://… cannot be read"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise StoreError(f"{told}: {error}.") from error
    if wrong := _misread(parts):
        raise StoreError(
            f"{told}: {wrong}. In user names and passwords, write what is neither a letter nor a digit with percent: "
            "%40 is @, %3A is :, %2F is /, %3F is ?, %23 is #, %25 is %, %20 is a blank."
        )
    return parts


def _misread(parts: SplitResult) -> str | None:
    """Return what shows that an address was not meant as it reads."""
    hosts = parts.netloc.rpartition("@")[2].split(",")  # libpq takes several
    if parts.fragment:
        return "it holds a #"
    if not all(map(_HOST.fullmatch, hosts)):
        return "the port is no number"
    if parts.netloc and ("@" in parts.path or "&" in parts.path):
        return "an @ or & stands after the host's /"
    if _NO_TOKEN.search(parts.netloc):
        return "before the host's / there is a blank, or a % without the two digits of a character"
    if any(option and "=" not in option for option in parts.query.split("&")):
        return "what follows the ? is not of the form name=value"
    return None


def options_of(address: SplitResult) -> dict[str, str]:
    """Return the options of an address, by name; of one that is said twice the last."""
    return dict(parse_qsl(address.query, keep_blank_values=True))


def number(text: str, name: str, least: float) -> float:
    """Return the number that an option says; StoreError where it is none, or less than ``least``."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < _MOST:
        raise StoreError(
            f"{name} is {shown(text)} in the address; it must be a number of at least {least:g} and below {_MOST:,}."
        )
    return value


def with_options(address: SplitResult, options: Mapping[str, str]) -> str:
    """Return an address with these options instead of its own; ``urlunsplit`` would drop an empty host's slashes."""
    query = urlencode(options, quote_via=quote)
    return f"{address.scheme}://{address.netloc}{address.path}{'?' if query else ''}{query}"


def place_of(address: SplitResult) -> str:
    """Return user, host and path, as messages name them: without the password."""
    user, at, host = address.netloc.rpartition("@")
    return f"{unquote(user).split(':')[0]}{at}{host}{address.path}"
