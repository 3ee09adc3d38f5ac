"""Tools as others describe them → Tool: MCP ``tools/list``, OpenAPI, LangChain, LlamaIndex, plain dictionaries.

Nothing here imports a framework: an object is read by the attributes its framework gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fourfold.arguments import many, shown
from fourfold.errors import InvalidValueError
from fourfold.tools.schema import referred
from fourfold.tools.types import Tool
from fourfold.types import Node

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def read_tools(source: object, *, server: str = "") -> list[Tool]:
    """Return the tools of any source that is known.

    Args:
        source: an MCP ``tools/list`` result (object or dictionary), an OpenAPI document, or one or many of: Tool,
            dictionary with at least a name, MCP tool, LangChain tool, LlamaIndex tool.
        server: whose tools they are, where a tool does not say so itself.

    Raises:
        InvalidValueError: something in it is no tool.

    """
    try:
        return list(_read(source, server))
    except RecursionError as error:
        raise InvalidValueError(f"A source of tools is nested too deep: {shown(source)}.") from error


def _read(source: object, server: str) -> Iterator[Tool]:
    if isinstance(source, Mapping):
        if "paths" in source and ("openapi" in source or "swagger" in source):
            yield from _openapi(source, server)
        elif isinstance(source.get("result"), Mapping) and "tools" in source["result"]:  # a JSON-RPC answer
            yield from _read(source["result"]["tools"], server)
        elif "name" not in source and isinstance(source.get("tools"), (list, tuple)):
            yield from _read(source["tools"], server)
        else:
            yield _dictionary(source, server)
    elif isinstance(source, Tool):
        yield source
    elif isinstance(source, Node):  # it has a name as tools have; its text would be lost
        raise InvalidValueError(f"{shown(source.id)} is a node and describes no tool; Retriever.add adds nodes.")
    elif isinstance(getattr(source, "name", None), str) or hasattr(source, "metadata"):
        yield _object(source, server)
    else:
        for item in many(getattr(source, "tools", source), "A source of tools", "tools"):
            yield from _read(item, server)


def _dictionary(source: Mapping[str, Any], server: str) -> Tool:
    function = source.get("function")
    if "name" not in source and isinstance(function, Mapping):  # the form language-model APIs take
        source = function
    if "name" not in source:
        raise InvalidValueError(f"A tool needs a name; this one has only {', '.join(map(str, source)) or 'nothing'}.")
    return Tool(
        name=source["name"],
        server=_given(source.get("server"), server),
        description=_given(source.get("description"), ""),
        input_schema=_schema(source, "inputSchema", "input_schema", "parameters", "args_schema"),
        output_schema=_schema(source, "outputSchema", "output_schema", "returns"),
    )


def _given(value: Any, otherwise: Any = None) -> Any:
    """Return a value, or what stands for it where nothing is said; what is neither text nor JSON is a value."""
    return otherwise if value is None or (isinstance(value, (str, Mapping, list, tuple)) and not value) else value


def _listed(given: object) -> Iterable[object]:
    return given if isinstance(given, (list, tuple)) else ()


def _schema(source: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the first schema given; a mapping of parameter names to schemas or words is made into one."""
    given: object = next((source[key] for key in keys if _given(source.get(key)) is not None), {})
    if not isinstance(given, Mapping):
        raise InvalidValueError(f"The schema of tool {shown(source.get('name'))} is no mapping: {shown(given)}.")
    if not given or {"type", "properties", "$ref", "allOf", "anyOf", "oneOf", "$schema"} & set(given):
        return given
    return {
        "type": "object",
        "properties": {
            str(name): part
            if isinstance(part, Mapping)
            else {"description": part if isinstance(part, str) else shown(part)}
            for name, part in given.items()
        },
    }


def _object(source: object, server: str) -> Tool:
    """Read an MCP tool, a LangChain tool or a LlamaIndex tool by what it has."""
    metadata: Any = getattr(source, "metadata", None)
    name = getattr(source, "name", None)
    if isinstance(name, str):
        given: Any = _given(getattr(source, "input_schema", None), getattr(source, "inputSchema", None))
        if not isinstance(given, Mapping):  # LangChain has input_schema as a class, and the parameters as schema
            given = _json_schema(
                _given(getattr(source, "tool_call_schema", None), getattr(source, "args_schema", None))
            )
        output = _given(getattr(source, "output_schema", None), getattr(source, "outputSchema", None))
        outputs = output if isinstance(output, Mapping) else {}
        return Tool(name, server, _given(getattr(source, "description", None), ""), given, outputs)
    if isinstance(getattr(metadata, "name", None), str):
        parameters = metadata.get_parameters_dict() if hasattr(metadata, "get_parameters_dict") else {}
        return Tool(metadata.name, server, _given(getattr(metadata, "description", None), ""), parameters)
    raise InvalidValueError(f"This is no tool that could be read: {type(source).__name__}; it has no name.")


def _json_schema(given: object) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    make = getattr(given, "model_json_schema", None)
    made = make() if callable(make) else {}
    return made if isinstance(made, Mapping) else {}


def _openapi(document: Mapping[str, Any], server: str) -> Iterator[Tool]:
    """Read every operation of an OpenAPI (or Swagger) document as a tool."""
    information = document.get("info")
    title = information.get("title", "") if isinstance(information, Mapping) else ""
    owner = server or str(title).replace(":", " ")
    definitions = {key: document[key] for key in ("components", "definitions") if key in document}
    paths = document["paths"]
    for path, given in paths.items() if isinstance(paths, Mapping) else ():
        item = referred(given, document)
        if item is None:
            continue
        for method in _METHODS:
            operation = item.get(method)
            if not isinstance(operation, Mapping):
                continue
            parts = (operation.get("summary"), operation.get("description"), f"{method.upper()} {path}")
            yield Tool(
                name=_given(
                    operation.get("operationId"), f"{method}_{str(path).strip('/').replace('/', '_') or 'root'}"
                ),
                server=owner,
                description=". ".join(str(part).rstrip(".") for part in parts if _given(part) is not None),
                input_schema={**_operation_input(item, operation, document), **definitions},
                output_schema={**_operation_output(operation, document), **definitions},
            )


def _operation_input(
    item: Mapping[str, Any], operation: Mapping[str, Any], document: Mapping[str, Any]
) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for given in (*_listed(item.get("parameters")), *_listed(operation.get("parameters"))):
        parameter = referred(given, document)
        if parameter is None or not isinstance(parameter.get("name"), str):
            continue
        schema = parameter.get("schema")
        base = schema if isinstance(schema, Mapping) else {k: parameter[k] for k in ("type", "items") if k in parameter}
        properties[parameter["name"]] = {
            **base,
            "description": parameter.get("description", base.get("description", "")),
        }
        if parameter.get("required") is True:
            required.append(parameter["name"])
    body = _content_schema(referred(operation.get("requestBody"), document))
    whole: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    return {**whole, "allOf": [body]} if body else whole


def _operation_output(operation: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    responses = operation.get("responses")
    for code, given in responses.items() if isinstance(responses, Mapping) else ():
        if str(code).startswith("2") and (response := referred(given, document)) is not None:
            return dict(_content_schema(response))
    return {}


def _content_schema(holder: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the schema of the first media type of a body or a response."""
    if holder is None:
        return {}
    if isinstance(holder.get("schema"), Mapping):  # Swagger 2
        return dict(holder["schema"])
    content = holder.get("content")
    for media in content.values() if isinstance(content, Mapping) else ():
        if isinstance(media, Mapping) and isinstance(media.get("schema"), Mapping):
            return dict(media["schema"])
    return {}
