"""How the work for a text grows with its length: of every pattern of the project, and of what reads questions.

Run as a child of test_patterns.py, for what it measures may never end: ``python growth.py SECONDS`` writes a line of
JSON for each subject before it is measured and one after, and is ended by the system where one takes longer than that.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import pkgutil
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from re import _compiler, _constants, _parser
from types import ModuleType
from typing import Any

from fourfold import RetrievalConfig, arguments, edge_types, planning
from fourfold.ingest import chunking, mentions
from fourfold.ingest.readers import READ_APART, READERS
from fourfold.ingest.readers.parsed import NoTextError
from fourfold.intent import classify
from fourfold.plain_text import plain_text
from fourfold.questions import effects, locate, rules
from fourfold.questions.rules import RULES
from fourfold.reading import courtesy, topic
from fourfold.signals.text import term_weights
from fourfold.tokenizer import make_tokenizer

PACKAGES = ("fourfold", "langchain_fourfold", "llama_index.retrievers.fourfold", "fourfold_mcp")
_CHARACTERS = "aA1_ \n-.!é中"
_ANCHORED = {"match", "fullmatch"}
_COUNTS = (8, 12, 16, 20, 24, 28, 32, 38, 46, 58, 80, 150, 500)
"""What is exponential is seen at one of these before the next takes minutes."""
_LONG = 4_000  # characters
_QUICK = 0.001  # seconds: what is quadratic takes several times as long for a text of _LONG characters
_SLOW = 0.05
_HOPELESS = 0.2  # seconds for _LONG / 4 characters, some thousand times what is linear takes: _LONG would take minutes
_TRIES, _ROUNDS = 5, 8
_TIMES, _BOUND = 16, 4  # in proportion, a text 16 times as long takes as long as 16 texts; quadratic, 16 times that


# -- growth -----------------------------------------------------------------------------------------------------------


def grows(run: Callable[[str], object], make: Callable[[int], str], *, bounded: bool) -> str | None:
    """Say how the work for a text grows if it is more than in proportion to its length.

    A measured time is only ever too long: what is quick by it is quick, and of several times the shortest is the
    truest. What reads the first 500 characters alone (``bounded``) may do with them what it likes, in less than 50 ms.
    """
    for count in _COUNTS:
        text = make(count)
        if not _takes_less(run, text, _SLOW):
            return f"more than {_SLOW} s for {len(text)} characters: {text[:60]!r}…"
    if bounded:
        return None
    if not _takes_less(run, text := make(_LONG // 4), _HOPELESS):
        return f"more than {_HOPELESS} s for {len(text)} characters: {text[:60]!r}…"
    of_quarter = min(_seconds(run, text), _seconds(run, text))
    if of_quarter < _QUICK / 16 or _seconds(run, make(_LONG)) < max(_QUICK, 8 * of_quarter):  # quadratic: 16 times it
        return None
    length = 250
    while length < _LONG and _takes_less(run, make(length), _QUICK / 4):
        length *= 2
    short, long = make(length), make(_TIMES * length)
    of_short, of_long = [], []
    for _ in range(_ROUNDS):
        of_short += [_seconds(run, short) for _ in range(_TIMES)]
        of_long.append(_seconds(run, long))
        ratio = min(of_long) / min(of_short)
        if ratio < _BOUND * _TIMES:
            return None
    return f"{ratio:.0f} times the work for {_TIMES} times the text: {short[:60]!r}… ({length})"


def _takes_less(run: Callable[[str], object], text: str, seconds: float) -> bool:
    return any(_seconds(run, text) < seconds for _ in range(_TRIES))


def _seconds(run: Callable[[str], object], text: str) -> float:
    begin = _now()
    run(text)
    return _now() - begin


def _finest() -> Callable[[], float]:
    """Return the clock of the processor's time, which no other process holds up, unless it ticks every 10 ms only."""
    return time.thread_time if len({time.thread_time() for _ in range(10_000)}) > 100 else time.perf_counter


_now = _finest()


# -- every pattern of the project -------------------------------------------------------------------------------------


def made() -> dict[tuple[str, str], list[str]]:
    """Return, by (module, function), the patterns that a function makes of what it is given."""
    configs = (RetrievalConfig(), RetrievalConfig.published(), RetrievalConfig.two_signal())
    return {
        ("fourfold.intent", "IntentSpec.__post_init__"): [
            pattern for config in configs for spec in config.intents.specs for pattern in spec.patterns
        ],
        ("fourfold.intent", "_searches"): [],  # those of __post_init__
        ("fourfold.questions.intents", "QuestionRule._phrases"): [phrase for rule in RULES for phrase in rule.phrases],
        ("fourfold.questions.intents", "QuestionRule._keywords"): [rule._keywords.pattern for rule in RULES],
        ("fourfold.questions.locate", "_places"): [r"(?<!\w)aa\ a(?!\w)", rf"(?<!\w)11(?!\w){locate._AMOUNT}"],
        ("fourfold.evaluate.synthetic", "_sentences"): [re.escape("aa a")],
        ("fourfold.reading.frames", "words"): [
            pattern.pattern for frames in (courtesy, topic) for pattern in _values(frames)
        ],
        ("fourfold.engines.milvus.schema", "load"): ["graph_(nodes|edges|space_[0-9]+)"],
    }


BOUNDED = {"fourfold.questions.intents", "fourfold.questions.locate", "classify_intent", "ways_to_part"}
"""Modules and functions that read only the beginning of a text, which is as long as the longest count above."""


ABSENT = {"pymilvus"}
"""Packages that ``make test`` does without; modules that need them are walked where they are installed."""


def modules() -> Iterator[ModuleType]:
    """Yield every module of the four packages; what cannot be imported is an error, but for packages of ``ABSENT``."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            if found.name.endswith("__main__"):
                continue
            try:
                yield importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                if error.name not in ABSENT:
                    raise


def patterns() -> Iterator[tuple[str, str, int, str]]:
    """Yield (where, pattern, flags, method) of every call of ``re`` in the source."""
    known = made()
    for module in modules():
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        for function, call in _calls(tree, ""):
            where = (module.__name__, function)
            try:
                pattern, flags = _evaluated(call, module)
            except NameError:
                if function:
                    yield from ((module.__name__, pattern, 0, "finditer") for pattern in known[where])
                else:  # in a loop at the module's top: what came of it is among its values
                    yield from ((module.__name__, p.pattern, p.flags, "finditer") for p in _values(module))
                continue
            method = call.func.attr if call.func.attr != "compile" else _method(tree, call)
            yield module.__name__, pattern, flags, method if method in _ANCHORED else "finditer"


def _calls(tree: ast.AST, function: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call of a function of ``re`` with the name of the function it stands in."""
    for child in ast.iter_child_nodes(tree):
        inside = function
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inside = f"{function}.{child.name}" if function else child.name
        func = child.func if isinstance(child, ast.Call) else None
        if isinstance(func, ast.Attribute) and ast.unparse(func.value) == "re" and func.attr != "escape":
            yield inside, child
        yield from _calls(child, inside)


def _evaluated(call: ast.Call, module: ModuleType) -> tuple[str, int]:
    """Return the pattern and flags of a call; a NameError says that they depend on what a function is given."""
    position = {"sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 1 if call.func.attr == "compile" else 2)
    flags = next((k.value for k in call.keywords if k.arg == "flags"), None) or (call.args[position:] or [None])[0]
    values = [
        0 if part is None else eval(compile(ast.Expression(part), "pattern", "eval"), vars(module))
        for part in (call.args[0], flags)
    ]
    pattern = values[0].decode("latin-1") if isinstance(values[0], bytes) else values[0]  # they read as fast
    return pattern, int(values[1])


def _method(tree: ast.AST, call: ast.Call) -> str:
    """Return how a compiled pattern is used: "match" or "fullmatch" if always so, else the most that can be done."""
    names = {t.id for n in ast.walk(tree) if isinstance(n, ast.Assign) and n.value is call for t in n.targets}
    uses = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    }
    return uses.pop() if len(uses) == 1 and uses <= _ANCHORED else "finditer"


def _values(module: ModuleType) -> Iterator[re.Pattern[str]]:
    for value in vars(module).values():
        yield from (v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, re.Pattern))


# -- texts that a pattern may stumble over ----------------------------------------------------------------------------

_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_MANY = 20  # a repeat of at most that many is none
_CHOICES = range(3)


def texts(pattern: str, flags: int) -> set[tuple[str, str, str]]:
    """Return (beginning, what is repeated, end) of texts made of the pattern's own parts."""
    tree = _parser.parse(pattern, flags)
    wholes = {_sample(tree, choice) for choice in _CHOICES}
    beginnings, pieces = {""}, wholes | set(" \n_")
    for before, body, after in _repeats(tree, (), ()):
        for choice in _CHOICES:
            begin, end = _sample(before, choice), _sample(after, choice)
            one, other = _sample(body, choice), _sample(body, choice + 1)
            beginnings.add(begin)
            pieces |= {begin, one, end, begin + one, one + other, one + end, end + one}
    tiles = {(piece * 12)[: max(12, len(piece))]: piece for piece in sorted(pieces) if piece}  # "a" and "aa" are one
    return {(begin, piece, end) for begin in beginnings for piece in tiles.values() for end in ("", "!", "\n ")}


def _sample(items: Any, choice: int) -> str:
    """Return a text that the parsed items match, look-arounds aside; another ``choice``, another text."""
    text = ""
    for item in items:
        op, value = item
        if op is _constants.LITERAL:
            text += chr(value)
        elif op in (_constants.IN, _constants.ANY, _constants.NOT_LITERAL):
            text += _character(item, choice)
        elif op is _constants.BRANCH:
            text += _sample(value[1][choice % len(value[1])], choice)
        elif op is _constants.SUBPATTERN:
            text += _sample(value[3], choice)
        elif op is _constants.ATOMIC_GROUP:
            text += _sample(value, choice)
        elif op in _REPEATS:
            text += _sample(value[2], choice) * max(value[0], 1)
    return text


def _character(item: Any, choice: int) -> str:
    literals = [chr(v) for o, v in item[1] if o is _constants.LITERAL] if item[0] is _constants.IN else []
    ranges = [chr(v[0]) for o, v in item[1] if o is _constants.RANGE] if item[0] is _constants.IN else []
    state = _parser.State()
    state.flags = re.UNICODE
    single = _compiler.compile(_parser.SubPattern(state, [item]))
    fit = [c for c in dict.fromkeys([*literals, *_CHARACTERS, *ranges]) if single.match(c)]
    return fit[choice % len(fit)]


def _repeats(items: Any, before: tuple[Any, ...], after: tuple[Any, ...]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each repeat, at any depth, as (what stands before it, what is repeated, what stands after it)."""
    items = list(items)
    for place, (op, value) in enumerate(items):
        earlier, later = (*before, *items[:place]), (*items[place + 1 :], *after)
        if op in _REPEATS:
            if value[1] >= _MANY:
                yield earlier, value[2], later
            yield from _repeats(value[2], earlier, later)
        elif op is _constants.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, earlier, later)
        elif op is _constants.SUBPATTERN:
            yield from _repeats(value[3], earlier, later)
        elif op is _constants.ATOMIC_GROUP:
            yield from _repeats(value, earlier, later)


# -- what is measured --------------------------------------------------------------------------------------------------

Texts = set[tuple[str, str, str]]

PIECES = (
    *("a", "A", "aB", "1a", "a_", "a-", "a.", "_", "-", ".", "'s", "\u2019", '"', '"a ', " ", "\n", "\t", "\0"),
    *("中", "中a", "é", "e\u0301", "\u0301", "😀", "\u0e01", "\u202e", "[", "](", "[[a]]", "[a](b)", "`", "```\n"),
    *("then ", "a and ", "a, ", "after ", "from a to ", "from", "how is ", "vs ", "# a\n", "> ", "- ", "    ", "|a"),
    *("find all ", "all ", "articles that ", "also ", "! "),
    *("*a", "_a_ ", "<b>", "<b>x", "</b>", "<!--", "&amp;", "&", "a: ", "---\n", "$", "{", "%", "\\"),
)
READ_TEXTS: Texts = {(begin, piece, end) for begin in ("", "from ", "---\n") for piece in PIECES for end in ("", "!")}


def readers() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield what reads a text as a whole, by name."""
    for name in ("suffix", "snowball-english", "snowball-german"):
        read = make_tokenizer(name)
        yield f"the terms of {name}", read.terms
        yield f"the words of {name}", read.terms_of_words
        yield (
            f"the weights of terms of {name}",
            lambda text, read=read: term_weights(read.terms_of_words(text), ("how", "fail"), 1.0, prefix=True),
        )
    for config in (RetrievalConfig(), RetrievalConfig.published()):
        yield "classify", lambda text, specs=config.intents.specs: classify(text.strip(), specs)
    yield "classify_intent", rules.classify_intent
    yield "ways_to_part", locate.ways_to_part
    yield "effect_of", effects.effect_of
    yield "spelled", locate.spelled
    yield "parts_of", planning.parts_of
    yield "permitted", planning.permitted
    yield "label", edge_types.label.__wrapped__
    kinds = {
        READERS[kind]: kind for kind in sorted(READERS.keys() - READ_APART - {".ipynb"})
    }  # those have a bound of time
    for read, kind in kinds.items():
        yield f"the reader of {kind}", lambda text, read=read: _read(read, text)
    yield "the reader of a table", lambda text: _read(READERS[".csv"], f"name,what it is\nsome word,{text}")
    yield "split", lambda text: chunking.split(text, 500)
    yield "words_of", mentions.words_of
    yield "title_key", mentions.title_key
    matcher = mentions.Matcher([mentions.title_key(title) for title in ("aaaa", "a a a a", "aab", "中中中", "then a")])
    yield "the titles in a text", matcher.titles_in
    yield "plain_text", plain_text
    yield "shown", arguments.shown
    yield "without_courtesy", courtesy.without_courtesy
    yield "without_frame", topic.without_frame


def _read(read: Callable[[bytes], object], text: str) -> None:
    with suppress(NoTextError):  # most texts are no tables
        read(text.encode())


def subjects() -> Iterator[tuple[str, Callable[[str], object], Texts, bool]]:
    """Yield (name, what runs it, the texts to try, whether it reads a beginning only)."""
    for name, run in readers():
        yield name, run, READ_TEXTS, name in BOUNDED
    for where, pattern, flags, method in dict.fromkeys(patterns()):
        yield f"{where} {pattern}", runner(pattern, flags, method), texts(pattern, flags), where in BOUNDED


def runner(pattern: str, flags: int, method: str) -> Callable[[str], object]:
    compiled = re.compile(pattern, flags)
    if method == "finditer":
        return lambda text: deque(compiled.finditer(text), maxlen=0)
    return getattr(compiled, method)


def fault_of(run: Callable[[str], object], tried: Texts, *, bounded: bool = False) -> str | None:
    """Return what is wrong with a reader for the first of the texts that shows it."""
    for begin, piece, end in sorted(tried):

        def make(length: int, begin: str = begin, piece: str = piece, end: str = end) -> str:
            return begin + (piece * (length // len(piece) + 1))[:length] + end

        if fault := grows(run, make, bounded=bounded):
            return fault
    return None


def main(seconds: float, part: int, parts: int) -> None:
    """Measure every subject of one part of several, with a line before and one after it."""
    gc.disable()  # its share of the work grows with the heap
    for name, run, tried, bounded in islice(subjects(), part, None, parts):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)  # of computing, however busy the machine is
        tell({"begins": name})
        tell({"ended": name, "fault": fault_of(run, tried, bounded=bounded)})


def tell(what: dict[str, str | None]) -> None:
    """Write a line of JSON at once."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
