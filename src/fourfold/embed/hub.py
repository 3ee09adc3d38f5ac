"""Where a Model2Vec model lies: in a folder, in the hub's cache, or on the hub, which is given a deadline."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from fourfold.errors import EmbedderError
from fourfold.threads import begun

WEIGHTS = ("model.safetensors", "0_StaticEmbedding/model.safetensors")
TOKENIZER = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")
CONFIG = ("config.json", "config_sentence_transformers.json")
"""Each file of a model by the places where Model2Vec and sentence-transformers put it."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def find(folder: Path, places: tuple[str, ...]) -> Path | None:
    """Return the first of these files that the folder has."""
    return next((folder / place for place in places if (folder / place).is_file()), None)


class HubModel:
    """A model of the hub by its name, looked for in the hub's cache before the network is asked.

    Raises:
        EmbedderError: what is given is no name of the hub.

    """

    def __init__(self, name: str | Path, deadline: float) -> None:
        if isinstance(name, Path) or not _NAME.fullmatch(name):  # a Path is meant as one, so the hub is not asked
            raise EmbedderError(f"There is no model folder {str(name)!r}; a name of the hub is a string 'owner/model'.")
        self._name = name
        self._deadline = deadline
        self._download: _Download | None = None

    def folder(self) -> Path:
        """Return the folder with the model's files, downloaded if they are not in the cache.

        A download that overruns the deadline goes on in the background: a later call finds what came of it, and does
        not wait again.

        Raises:
            EmbedderError: the download failed, or is not done in time.

        """
        if (cached := _cached(self._name)) is not None:
            return cached
        if self._download is None:
            download = begun(_Download(self._name), f"download of {self._name}")
            if download is None:
                raise EmbedderError(
                    f"The embedding model {self._name!r} is not in the hub's cache, and no thread can be started to "
                    "download it: the process is ending, or has too many."
                )
            self._download = download
            download.join(self._deadline)
        if self._download.is_alive():
            raise EmbedderError(
                f"The embedding model {self._name!r} was not downloaded from the hub within {self._deadline:g} "
                "seconds. Try again later, give StaticEmbedder a longer deadline=, or the folder of a copy you have."
            )
        done, self._download = self._download, None
        if done.error is not None:
            raise EmbedderError(
                f"The embedding model {self._name!r} is neither a folder nor in the hub's cache, and cannot be "
                f"downloaded: {done.error}. Check the name and the network, or give the folder of a copy you have."
            ) from done.error
        found = _cached(self._name)
        if found is None:
            raise EmbedderError(
                f"{self._name!r} on the hub is no static model: it has no weights, tokenizer or config."
            )
        return found


class _Download(threading.Thread):
    """Fetches a model into the hub's cache, in a daemon thread: no socket that hangs keeps the process alive."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._model = name
        self.error: Exception | None = None

    def run(self) -> None:
        """Fetch the files one by one; the hub's own snapshot would use threads that the process waits for."""
        try:
            from huggingface_hub import HfApi, hf_hub_download

            listed = HfApi().model_info(self._model).siblings or ()  # once: ``list_repo_files`` tries six times in 23 s
            files = {file.rfilename for file in listed}
            for place in (*CONFIG, *TOKENIZER, *WEIGHTS):
                if place in files:
                    hf_hub_download(self._model, place)
        except Exception as error:
            self.error = error


def _cached(name: str) -> Path | None:
    """Return the folder of the hub's cache that has all files of the model, without asking the network.

    None too of what the hub's client takes for no name: asked for the model itself, it says why.
    """
    from huggingface_hub import try_to_load_from_cache

    found = []
    for places in (WEIGHTS, TOKENIZER, CONFIG):
        paths = (try_to_load_from_cache(name, place) for place in places)
        try:
            path = next((Path(path) for path in paths if isinstance(path, str)), None)
        except ValueError:
            return None
        if path is None:
            return None
        found.append(path)
    return found[-1].parent
