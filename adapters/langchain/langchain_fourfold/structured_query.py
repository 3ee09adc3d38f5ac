"""Filters of ``SelfQueryRetriever`` → Fourfold filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.structured_query import Comparator, Comparison, Operation, Operator, StructuredQuery, Visitor

from fourfold import FilterError

Condition = dict[str, Any]

_COMPARATORS: Mapping[Comparator, str] = {
    Comparator.EQ: "$eq",
    Comparator.NE: "$ne",
    Comparator.GT: "$gt",
    Comparator.GTE: "$gte",
    Comparator.LT: "$lt",
    Comparator.LTE: "$lte",
    Comparator.CONTAIN: "$contains",
    Comparator.LIKE: "$icontains",
    Comparator.IN: "$in",
    Comparator.NIN: "$nin",
}


class FourfoldTranslator(Visitor):
    """``SelfQueryRetriever(…, structured_query_translator=FourfoldTranslator())`` over a ``FourfoldVectorStore``.

    ``like`` takes a text, with ``%`` at its ends at most, and compares without regard to case. Dates and times are
    compared as the strings that they become in the metadata.
    """

    allowed_comparators = list(_COMPARATORS)
    allowed_operators = [Operator.AND, Operator.OR, Operator.NOT]

    def visit_operation(self, operation: Operation) -> Condition:
        """Translate and, or and not; not of several is none of them."""
        self._validate_func(operation.operator)
        parts = [argument.accept(self) for argument in operation.arguments]
        if operation.operator == Operator.NOT:
            return {"$not": parts[0] if len(parts) == 1 else {"$or": parts}}
        return {f"${operation.operator.value}": parts}

    def visit_comparison(self, comparison: Comparison) -> Condition:
        """Translate a comparison.

        Raises:
            FilterError: a ``like`` with ``%`` inside, or with something that is no text.

        """
        self._validate_func(comparison.comparator)
        value = comparison.value
        value = [_plain(one) for one in value] if isinstance(value, list) else _plain(value)
        if comparison.comparator == Comparator.LIKE:
            if not isinstance(value, str) or "%" in value.strip("%"):
                raise FilterError(f"like on {comparison.attribute!r} takes a text with % at its ends, not {value!r}.")
            value = value.strip("%")
        return {comparison.attribute: {_COMPARATORS[comparison.comparator]: value}}

    def visit_structured_query(self, structured_query: StructuredQuery) -> tuple[str, dict[str, Any]]:
        """Return the query, and the filter as an option of ``similarity_search``."""
        found = {} if structured_query.filter is None else {"filter": structured_query.filter.accept(self)}
        return structured_query.query, found


def _plain(value: Any) -> Any:
    """Unwrap what the query language makes of a date or a time: {"date": "2020-01-01", "type": "date"}."""
    kinds = ("date", "datetime") if isinstance(value, Mapping) else ()
    return next((value[kind] for kind in kinds if kind in value), value)
