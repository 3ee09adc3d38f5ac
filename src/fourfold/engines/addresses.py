"""What the addresses of all engines have in common: options after the question mark, and a password nobody is shown."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from fourfold.errors import StoreError


def parts_of(url: str) -> SplitResult:
    """Return the parts of an address, or raise StoreError; its sentence does not show the password."""
    try:
        return urlsplit(url)
    except ValueError as error:
        scheme = url.partition(":")[0]
        raise StoreError(f"The address {scheme}://… cannot be read: {error}.") from error


def options_of(address: SplitResult) -> dict[str, str]:
    """Return the options of an address, by name; of one that is said twice the last."""
    return dict(parse_qsl(address.query, keep_blank_values=True))


def with_options(address: SplitResult, options: Mapping[str, str]) -> str:
    """Return an address with these options instead of its own; ``urlunsplit`` would drop an empty host's slashes."""
    query = urlencode(options, quote_via=quote)
    return f"{address.scheme}://{address.netloc}{address.path}{'?' if query else ''}{query}"


def place_of(address: SplitResult) -> str:
    """Return user, host and path, as messages name them: without the password."""
    user, at, host = address.netloc.rpartition("@")
    return f"{unquote(user).split(':')[0]}{at}{host}{address.path}"
