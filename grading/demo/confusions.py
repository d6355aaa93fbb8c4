"""What a recognizer mistakes for what: labels, English words, Mandarin characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LABELS: Mapping[str, tuple[str, ...]] = {
    "breath": ("sigh", "sniff", "gasp"),
    "sniff": ("breath", "sneeze"),
    "laugh": ("cry", "breath", "gasp"),
    "cry": ("laugh", "moan", "sniff"),
    "cough": ("throat clearing", "sneeze"),
    "throat clearing": ("cough", "hum"),
    "sneeze": ("cough", "sniff"),
    "sigh": ("breath", "moan", "yawn"),
    "gasp": ("breath", "hiss"),
    "snore": ("breath", "moan"),
    "yawn": ("sigh", "breath"),
    "hum": ("moan", "throat clearing"),
    "moan": ("hum", "sigh"),
    "hiss": ("breath", "lipsmack"),
    "lipsmack": ("hiss", "burp"),
    "burp": ("cough", "lipsmack"),
}

# Sounds that a system hears where nobody made one; common ones stand more than once.
FALSE_ALARMS: tuple[str, ...] = (
    "breath", "breath", "breath", "sigh", "sigh", "laugh", "lipsmack", "lipsmack",
    "hum", "sniff", "gasp", "throat clearing",
)  # fmt: skip

_ENGLISH_PAIRS = (
    "their/there your/you're its/it's the/a a/the an/a in/and and/in to/two two/2 ten/10 "
    "eleven/11 forty/40 hundred/100 then/than than/then was/is is/was were/where where/were "
    "had/have have/had has/as he/she she/he him/them his/is her/a this/the that/the these/this "
    "of/off off/of for/four four/for five/5 six/6 twelve/12 know/no no/know right/write "
    "here/hear hear/here I/a my/the me/we we/me our/are you/your they/he don't/do can't/can "
    "didn't/did wasn't/was I'm/I I'd/I I've/I it/that on/in at/that with/would would/with "
    "could/should should/could just/still still/just down/around up/off out/about all/old "
    "one/won like/light been/being said/says told/called left/lift gate/date door/floor "
    "sauce/source coast/cost soup/suit stairs/chairs plate/place week/weak weeks/week "
    "sore/sour ring/wing rain/train train/rain speech/peach peach/beach letter/ladder "
    "song/sung phone/foam remote/remove news/noose sink/think cat/cap dog/dock bed/bad"
)
_MANDARIN_PAIRS = (
    "他她 她他 它他 的得 得的 地的 在再 再在 做作 作做 那哪 哪那 吗嘛 嘛吗 像象 坐座 座坐 是事 以已 "
    "有又 又有 个各 到道 道到 时十 十是 说所 里理 好号 这者 了啦 我喔 你您 您你 们门 不布 就旧 都多 "
    "还孩 没每 看刊 听停 家加 一已 两俩 俩两 人任 上尚 下夏 开凯 过国 想响 要药 会回 回会 来莱 去趣 "
    "完玩 玩完 后候 前钱 点店 店点 钟中 年念 气汽 汽气 声生 生声 口扣 手首 头投 心新 眼演 天添 "
    "几机 机几 车彻 站战 书输 信心 歌哥 门们 房防 间见 面免 本奔 张章 笑小 哭苦 睡水 疼腾 老劳 "
    "王往 往网 东冬 西息 南难 北被 元园 块快 快块 买卖 卖买 吃迟 喝和 和河 把吧 吧把 给该 让嚷 跟根 "
    "最罪 真针 太泰 很狠 也夜 才材 只之 怎总 什神 么吗 谁睡 呢哪 啊呀 哎唉"
)

ENGLISH: Mapping[str, str] = {
    said: heard for said, _, heard in (pair.partition("/") for pair in _ENGLISH_PAIRS.split())
}
MANDARIN: Mapping[str, str] = {pair[0]: pair[1] for pair in _MANDARIN_PAIRS.split()}

# Where the tables know nothing better.
_MANDARIN_FALLBACK = "的一是了不在有人这"
_SHORT = 3
_ENGLISH_FALLBACK = ("the", "it", "a", "to", "that", "I", "and")
FILLERS: Mapping[str, Sequence[str]] = {
    "en": ("uh", "um", "and", "the", "so"),
    "zh": ("啊", "嗯", "的", "了", "就"),
}


def mistake(unit: str, language: str, turn: float) -> str:
    """Return a wrong word (en) or character (zh) that is likely for `unit`.

    `turn` in [0, 1) chooses where several would do. The answer always differs from the unit.
    """
    if language == "zh":
        options = [char for char in _MANDARIN_FALLBACK if char != unit]
        return MANDARIN.get(unit) or options[int(turn * len(options))]
    bare = unit.strip(".,!?\"'")
    known = ENGLISH.get(bare) or ENGLISH.get(bare.lower())
    if known is not None:
        return unit.replace(bare, known)
    if len(bare) <= _SHORT:
        options = [word for word in _ENGLISH_FALLBACK if word != bare.lower()]
        return unit.replace(bare, options[int(turn * len(options))])
    return unit.replace(bare, _misheard_ending(bare))


def _misheard_ending(word: str) -> str:
    endings = (("ing", "in"), ("ed", ""), ("s", ""), ("e", "ed"), ("t", "d"), ("d", "t"))
    for heard, taken in endings:
        if word.endswith(heard) and len(word) > len(heard) + 1:
            return word[: -len(heard)] + taken
    return word + "s"
