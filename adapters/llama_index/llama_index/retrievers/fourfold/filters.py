"""LlamaIndex ``MetadataFilters`` → Fourfold filters.

The meaning is that of LlamaIndex's own ``build_metadata_filter_fn``, with two widenings that its vector stores have
too: filters nest, and ``EQ`` and ``IN`` match a list by any of its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
from llama_index.retrievers.fourfold.nodes import REF_DOC_ID

from fourfold import FilterError
from fourfold.arguments import shown

Condition = dict[str, Any]

_REF_DOC_KEYS = ("ref_doc_id", "doc_id", "document_id")
"""The keys by which LlamaIndex's vector stores filter on a node's source document."""

_HOLDS_WHERE_MISSING = (FilterOperator.NE, FilterOperator.NIN, FilterOperator.IS_EMPTY)


def translate(filters: MetadataFilters | Mapping[str, Any] | None) -> Condition | None:
    """Return the Fourfold filter; a mapping is one already.

    Raises:
        FilterError: an operator or operand that cannot be translated.

    """
    if filters is None:
        return None
    if isinstance(filters, MetadataFilters):
        return _filters(filters)
    if isinstance(filters, Mapping):
        return dict(filters)
    raise FilterError(f"filters must be MetadataFilters or a mapping, not {type(filters).__name__}.")


def _filters(given: MetadataFilters) -> Condition:
    parts = [_filters(part) if isinstance(part, MetadataFilters) else _filter(part) for part in given.filters]
    if not parts:
        return {}
    condition = given.condition or FilterCondition.AND
    if condition == FilterCondition.AND:
        return {"$and": parts}
    if condition == FilterCondition.OR:
        return {"$or": parts}
    if condition == FilterCondition.NOT:
        return {"$not": {"$or": parts}}  # none of them
    raise FilterError(f"The filter condition {condition!r} is unknown; known are and, or, not.")


def _filter(given: MetadataFilter) -> Condition:
    make = _OPERATORS.get(given.operator)
    if make is None:
        known = ", ".join(operator.name for operator in _OPERATORS)
        raise FilterError(f"The filter operator {given.operator!r} is unknown; known are {known}.")
    if given.key not in _REF_DOC_KEYS:
        return make(given.key, given.value)
    parts = [make(key, given.value) for key in (given.key, REF_DOC_ID)]
    return {"$and" if given.operator in _HOLDS_WHERE_MISSING else "$or": parts}


def _compared(operator: str, key: str, value: Any) -> Condition:
    if value is None or isinstance(value, list):
        raise FilterError(
            f"The filter on {key!r} compares with {shown(value)}; EQ, NE, GT, GTE, LT, LTE and CONTAINS take one "
            "value. For missing values there is IS_EMPTY, for lists IN, ANY and ALL."
        )
    return {key: {operator: value}}


def _listed(operator: str, key: str, value: Any) -> Condition:
    return {key: {operator: _list(key, value)}}


def _any(key: str, value: Any) -> Condition:
    wanted = _list(key, value)
    return {"$or": [{key: {"$contains": one}} for one in wanted]} if wanted else {key: {"$in": []}}


def _all(key: str, value: Any) -> Condition:
    wanted = _list(key, value)
    return {"$and": [{key: {"$contains": one}} for one in wanted]} if wanted else {key: {"$ne": None}}


def _text(operator: str, key: str, value: Any) -> Condition:
    if not isinstance(value, str):
        raise FilterError(f"TEXT_MATCH and TEXT_MATCH_INSENSITIVE on {key!r} take a string, not {shown(value)}.")
    return {key: {operator: value}}


def _list(key: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FilterError(f"IN, NIN, ANY and ALL on {key!r} take a list of values, not {shown(value)}.")
    return value


_OPERATORS: Mapping[FilterOperator, Callable[[str, Any], Condition]] = {
    FilterOperator.EQ: partial(_compared, "$eq"),
    FilterOperator.NE: partial(_compared, "$ne"),
    FilterOperator.GT: partial(_compared, "$gt"),
    FilterOperator.GTE: partial(_compared, "$gte"),
    FilterOperator.LT: partial(_compared, "$lt"),
    FilterOperator.LTE: partial(_compared, "$lte"),
    FilterOperator.IN: partial(_listed, "$in"),
    FilterOperator.NIN: partial(_listed, "$nin"),
    FilterOperator.ANY: _any,
    FilterOperator.ALL: _all,
    FilterOperator.TEXT_MATCH: partial(_text, "$contains"),
    FilterOperator.TEXT_MATCH_INSENSITIVE: partial(_text, "$icontains"),
    FilterOperator.CONTAINS: partial(_compared, "$contains"),
    FilterOperator.IS_EMPTY: lambda key, value: {key: {"$empty": True}},
}
