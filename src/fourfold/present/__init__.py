"""Every rendering of evidence: what a hit and an explanation say in words."""

from fourfold.present.words import explanation_text, in_words, why

__all__ = ["explanation_text", "in_words", "why"]
