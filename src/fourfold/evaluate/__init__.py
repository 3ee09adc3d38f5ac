"""Measure a retriever on judged queries, see what each component is worth, and set its weights."""

from fourfold.evaluate.background import Lesson, learn
from fourfold.evaluate.collection import (
    Collection,
    JudgedQuery,
    Judgements,
    load_collection,
    load_judgements,
    save_probes,
)
from fourfold.evaluate.each_intent import EachIntent, each_intent
from fourfold.evaluate.metrics import DEFAULT_MEASURES, measure
from fourfold.evaluate.report import write_report
from fourfold.evaluate.run import Run, Summary, evaluate, feedback_judgements, known_to, summarise
from fourfold.evaluate.statistics import Comparison, Interval, bootstrap_interval, compare, holm, lower_bound
from fourfold.evaluate.synthetic import suggest_probes
from fourfold.evaluate.tune import TuneResult, tune
from fourfold.evaluate.variants import Variant, ablations, ladder, run_variants, weight_sweep

__all__ = [
    "DEFAULT_MEASURES",
    "Collection",
    "Comparison",
    "EachIntent",
    "Interval",
    "JudgedQuery",
    "Judgements",
    "Lesson",
    "Run",
    "Summary",
    "TuneResult",
    "Variant",
    "ablations",
    "bootstrap_interval",
    "compare",
    "each_intent",
    "evaluate",
    "feedback_judgements",
    "holm",
    "known_to",
    "ladder",
    "learn",
    "load_collection",
    "load_judgements",
    "lower_bound",
    "measure",
    "run_variants",
    "save_probes",
    "suggest_probes",
    "summarise",
    "tune",
    "weight_sweep",
    "write_report",
]
