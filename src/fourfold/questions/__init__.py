"""Questions that a ranked list does not answer: can it, what breaks if, how do I get from here to there.

``Questions(retriever)`` has the twelve methods, and ``ask`` picks the one that fits a question.
"""

from fourfold.edge_types import ROLES, Role
from fourfold.questions.callables import callables
from fourfold.questions.capability import CapabilityAnswer, Limitation, Verdict
from fourfold.questions.compose import Conflict, Missing, PlanAnswer, Step
from fourfold.questions.explore import BoostAnswer, Boosted, Branch, ExploreAnswer
from fourfold.questions.facts import SearchAnswer
from fourfold.questions.goals import GoalAnswer, Serving
from fourfold.questions.impact import Impact, ImpactAnswer
from fourfold.questions.intents import Classification, IntentScore, QuestionIntent
from fourfold.questions.locate import Subject
from fourfold.questions.lookup import FilterAnswer, KeywordAnswer, Match, Measured
from fourfold.questions.paths import Hop, PathAnswer
from fourfold.questions.questions import Questions
from fourfold.questions.results import Answer, AnswerDocument
from fourfold.questions.routing import AskAnswer, Expanded, IntentSearchAnswer, Ranked
from fourfold.questions.rules import classify_intent
from fourfold.questions.similar import Similar, SimilarAnswer
from fourfold.questions.vocabulary import TypeMatch

__all__ = [
    "ROLES",
    "Answer",
    "AnswerDocument",
    "AskAnswer",
    "BoostAnswer",
    "Boosted",
    "Branch",
    "CapabilityAnswer",
    "Classification",
    "Conflict",
    "Expanded",
    "ExploreAnswer",
    "FilterAnswer",
    "GoalAnswer",
    "Hop",
    "Impact",
    "ImpactAnswer",
    "IntentScore",
    "IntentSearchAnswer",
    "KeywordAnswer",
    "Limitation",
    "Match",
    "Measured",
    "Missing",
    "PathAnswer",
    "PlanAnswer",
    "QuestionIntent",
    "Questions",
    "Ranked",
    "Role",
    "SearchAnswer",
    "Serving",
    "Similar",
    "SimilarAnswer",
    "Step",
    "Subject",
    "TypeMatch",
    "Verdict",
    "callables",
    "classify_intent",
]
