"""Which label a participant probably meant: for messages only, never for scoring."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

from grading.scoring.text.normalize import major_class

# Other spellings, by the label they stand for; written without blanks and signs.
_ALIASES = {
    "breath": "breathe breathes breathing inhale inhales inhaling exhale exhales exhaling breathin breathout deepbreath heavybreathing pant panting 呼吸 呼吸声 吸气 呼气 喘气 喘息",
    "sniff": "sniffs sniffing sniffle sniffles sniffling snuffle 吸鼻子 抽鼻子",
    "laugh": "laughs laughing laughter giggle giggles giggling chuckle chuckles chuckling haha hahaha lol snicker cackle 笑 笑声 大笑 轻笑 哈哈 哈哈哈",
    "cry": "cries crying cried sob sobs sobbing weep weeps weeping whimper 哭 哭声 哭泣 抽泣 啜泣",
    "cough": "coughs coughing coughed 咳 咳嗽 咳嗽声",
    "throat clearing": "throatclear throatclears clearthroat clearsthroat clearingthroat clearsthethroat ahem 清嗓 清嗓子 清喉咙",
    "sneeze": "sneezes sneezing sneezed achoo 喷嚏 打喷嚏 喷嚏声",
    "sigh": "sighs sighing sighed 叹气 叹息 叹气声",
    "gasp": "gasps gasping gasped 倒吸气 倒吸一口气 抽气",
    "snore": "snores snoring snored 打鼾 打呼噜 呼噜 鼾声",
    "yawn": "yawns yawning yawned 哈欠 打哈欠 呵欠 打呵欠",
    "hum": "hums humming hummed hmm hmmm 哼唱 哼歌 哼声",
    "moan": "moans moaning moaned groan groans groaning 呻吟 呻吟声",
    "hiss": "hisses hissing hissed 嘶 嘶嘶 嘶声",
    "lipsmack": "lipsmacks lipsmacking smack smacks smacking smacklips tongueclick mouthclick 咂嘴 咂嘴声 吧唧嘴",
    "burp": "burps burping burped belch belches belching 打嗝 嗝 嗝声",
}
_MEANT = {alias: label for label, words in _ALIASES.items() for alias in words.split()}
_LONGEST_GUESS = 40
_TAIL = re.compile(r"[:=,;(|/].*+", re.DOTALL)


def suggest(content: str, labels: frozenset[str], *, near: bool = True) -> str | None:
    """Return the label that a folded tag content probably means, or None.

    Blanks, signs and anything after a colon or the like do not count, then the table of aliases
    is asked, then (unless `near` is False) the label within one edit in three letters.

    >>> known = frozenset({"throat clearing", "laugh"})
    >>> [suggest(x, known) for x in ("throat_clearing", "laughter", "lough", "bang")]
    ['throat clearing', 'laugh', 'laugh', None]
    """
    bare = _squeeze(content[:_LONGEST_GUESS])
    by_letters = {_squeeze(label): label for label in sorted(labels, reverse=True)}
    for form in (bare, _squeeze(_TAIL.sub("", content[:_LONGEST_GUESS]))):
        if form in by_letters:
            return by_letters[form]
        if _MEANT.get(form) in labels:
            return _MEANT[form]
    return _nearest(bare, by_letters) if near and bare else None


def _squeeze(content: str) -> str:
    return "".join(c for c in content if major_class(c) in "LN")


def _nearest(bare: str, by_letters: dict[str, str]) -> str | None:
    scored = [
        (Levenshtein.distance(bare, letters), label)
        for letters, label in by_letters.items()
        if letters
    ]
    distance, label = min(scored, default=(len(bare), None))
    return label if label is not None and 3 * distance <= max(len(bare), 3) else None
