"""References of recognition: the texts stay inside, only ids, languages and counts are shown."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from grading.scoring.recipe import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grading.scoring.formats.transcript_references import ReferenceText


@dataclass(frozen=True)
class TranscriptReferences:
    """Checked references, sorted by utterance id.

    `sha256` is taken over the sorted (id, language, corpus, text) rows as canonical JSON: it does
    not depend on the file's order, blank lines or spacing. Texts are in no repr.
    """

    ids: tuple[str, ...]
    language_of: Mapping[str, str] = field(repr=False)
    corpus_of: Mapping[str, str] = field(repr=False)
    texts: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_rows(cls, rows: Iterable[ReferenceText]) -> TranscriptReferences:
        """Build from checked rows."""
        ordered = sorted(rows)
        return cls(
            ids=tuple(row.utt_id for row in ordered),
            language_of={row.utt_id: row.language for row in ordered},
            corpus_of={row.utt_id: row.corpus for row in ordered},
            texts={row.utt_id: row.text for row in ordered},
        )

    @property
    def text_of(self) -> Mapping[str, str]:
        """The text of each utterance."""
        return self.texts

    @cached_property
    def sha256(self) -> str:
        """The digest of the references' content, 64 hexadecimal digits."""
        rows = [
            [utt_id, self.language_of[utt_id], self.corpus_of[utt_id], self.texts[utt_id]]
            for utt_id in self.ids
        ]
        return hashlib.sha256(canonical_json(rows)).hexdigest()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Utterances per language, in code order."""
        return dict(sorted(Counter(self.language_of.values()).items()))

    @cached_property
    def parts(self) -> Mapping[tuple[str, str], list[str]]:
        """The ids of each language and corpus, sorted."""
        found: dict[tuple[str, str], list[str]] = {}
        for utt_id in self.ids:
            key = (self.language_of[utt_id], self.corpus_of[utt_id])
            found.setdefault(key, []).append(utt_id)
        return dict(sorted(found.items()))
