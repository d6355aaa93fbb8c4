"""References of `nvv-t1`: the texts stay inside, only ids, languages and counts are shown."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from grading.scoring.recipe import canonical_json
from grading.scoring.text.nvv1 import Transcript, read_transcript

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class NvvReferences:
    """Checked references, sorted by utterance id.

    `sha256` is taken over the sorted (id, language, text) rows as canonical JSON: it does not
    depend on the file's order, blank lines or spacing. Texts are in no repr.
    """

    ids: tuple[str, ...]
    language_of: Mapping[str, str] = field(repr=False)
    labels: frozenset[str] = field(repr=False)
    texts: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_rows(
        cls, rows: Iterable[tuple[str, str, str]], labels: frozenset[str]
    ) -> NvvReferences:
        """Build from (utt_id, language, text) rows whose tags are known to be right."""
        ordered = sorted(rows)
        return cls(
            ids=tuple(utt_id for utt_id, _, _ in ordered),
            language_of={utt_id: language for utt_id, language, _ in ordered},
            labels=labels,
            texts={utt_id: text for utt_id, _, text in ordered},
        )

    @property
    def text_of(self) -> Mapping[str, str]:
        """The tagged text of each utterance."""
        return self.texts

    @cached_property
    def sha256(self) -> str:
        """The digest of the references' content, 64 hexadecimal digits."""
        rows = [[utt_id, self.language_of[utt_id], self.texts[utt_id]] for utt_id in self.ids]
        return hashlib.sha256(canonical_json(rows)).hexdigest()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Utterances per language, in code order."""
        return dict(sorted(Counter(self.language_of.values()).items()))

    def transcript(self, utt_id: str) -> Transcript:
        """Return one reference as it is scored."""
        return read_transcript(self.texts[utt_id], self.language_of[utt_id], self.labels)
