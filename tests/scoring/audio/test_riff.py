"""What a WAV file is, told without trusting its header: every kind of right and wrong one."""

from __future__ import annotations

import io
import struct
import wave
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.audio.limits import ClipBounds
from grading.scoring.audio.riff import MOST_CHUNKS, Clip, examine
from grading.scoring.formats.sources import ByteStream
from grading.scoring.types import Severity
from tests.scoring.audio.waves import PCM_GUID, chunk, extensible, fmt, riff, tone, wav

STREAMED = 0xFFFFFFFF


def look(data: bytes, *, step: int = 1 << 16, bounds: ClipBounds | None = None) -> Clip:
    cut = (data[at : at + step] for at in range(0, len(data), step))
    return examine(ByteStream(cut), len(data), bounds or ClipBounds())


def found(clip: Clip) -> list[str]:
    return [f"{one.code}.{one.params.get('reason', '')}".rstrip(".") for one in clip.findings]


def standard_library() -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(tone())
    return stream.getvalue()


RIGHT = {
    "plain": wav(),
    "the standard library's": standard_library(),
    "a longer fmt chunk": riff(fmt(more=b"\0\0"), chunk(b"data", tone())),
    "EXTENSIBLE": riff(extensible(), chunk(b"data", tone())),
    "EXTENSIBLE, valid bits not said": riff(extensible(valid=0), chunk(b"data", tone())),
    "EXTENSIBLE form of the plain tag": riff(
        fmt(more=struct.pack("<2HL", 22, 16, 4) + PCM_GUID), chunk(b"data", tone())
    ),
    "LIST before the samples": wav(None, chunk(b"LIST", b"INFOISFT\x06\0\0\0Lavf60\0")),
    "an odd chunk, padded": wav(None, chunk(b"LIST", b"abc")),
    "an odd chunk without its padding": wav(None, chunk(b"LIST", b"abc", pad=False)),
    "an odd chunk padded with something": wav(None, chunk(b"note", b"abc", pad=False) + b"\xff"),
    "LIST behind the samples": wav(behind=chunk(b"LIST", b"INFO")),
    "garbage behind the samples": wav(behind=b"end of take\n" * 3),
    "a wrong byte rate": riff(fmt(byte_rate=7), chunk(b"data", tone())),
    "a RIFF size far too big": riff(fmt(), chunk(b"data", tone()), size=1 << 30),
    "a RIFF size never filled in": riff(fmt(), chunk(b"data", tone()), size=STREAMED),
    "a RIFF size of zero": riff(fmt(), chunk(b"data", tone()), size=0),
    "a chunk without a name": wav(None, chunk(b"\0\0\0\0", b"1234")),
    "a second data chunk outside the RIFF chunk": wav(behind=chunk(b"data", b"12")),
    "a cut chunk behind the samples": wav(behind=chunk(b"LIST", b"12", size=1 << 20)),
}


@pytest.mark.parametrize("kind", RIGHT)
@pytest.mark.parametrize("step", [1, 7, 1 << 16])
def test_what_is_only_unusual_is_accepted_with_the_right_samples(kind: str, step: int) -> None:
    data = RIGHT[kind]
    clip = look(data, step=step)
    assert found(clip) == []
    assert clip.is_accepted
    assert clip.frames == 4_000
    assert data[clip.start : clip.start + 8_000] == tone()
    assert clip.levels is not None
    assert clip.levels.frames == 4_000
    assert clip.seconds == 0.25


WRONG = {
    "nothing": (b"", "WAV_EMPTY.bytes", {}),
    "a few bytes": (b"RIFF\x10", "WAV_TRUNCATED.header", {"found": 5}),
    "the first header alone": (riff(), "WAV_FORMAT.no_fmt", {}),
    "an end inside a chunk's header": (wav()[:14], "WAV_TRUNCATED.header", {"found": 14}),
    "an end inside the format": (wav()[:30], "WAV_TRUNCATED.header", {"found": 30}),
    "an end inside a chunk": (
        riff(fmt(), chunk(b"LIST", b"abcd", size=100)),
        "WAV_TRUNCATED.chunk",
        {"chunk": "LIST", "declared": 100, "found": 4},
    ),
    "half of the samples": (
        riff(fmt(), chunk(b"data", tone(), size=16_000)),
        "WAV_TRUNCATED.data",
        {"declared": 16_000, "found": 8_000},
    ),
    "sizes of a pipe": (
        riff(fmt(), chunk(b"data", tone(), size=STREAMED), size=STREAMED),
        "WAV_TRUNCATED.stream",
        {"declared": STREAMED, "found": 8_000},
    ),
    "sizes of zero": (
        riff(fmt(), chunk(b"data", tone(), size=0), size=0),
        "WAV_TRUNCATED.stream",
        {"declared": 0, "found": 8_000},
    ),
    "a size of zero where the RIFF size stops, too": (
        riff(fmt(), chunk(b"data", tone(), size=0), size=36),
        "WAV_TRUNCATED.stream",
        {"declared": 0, "found": 8_000},
    ),
    "a size of zero in a pipe's RIFF chunk": (
        riff(fmt(), chunk(b"data", tone(), size=0), size=STREAMED),
        "WAV_TRUNCATED.stream",
        {"declared": 0},
    ),
    "2 GiB declared": (
        riff(fmt(), chunk(b"data", tone(), size=0x7FFFFFFE)),
        "WAV_TRUNCATED.stream",
        {"declared": 0x7FFFFFFE},
    ),
    "no frames": (riff(fmt(), chunk(b"data", b"")), "WAV_EMPTY.frames", {"declared": 0}),
    "no frames, then a chunk": (
        riff(fmt(), chunk(b"data", b""), chunk(b"LIST", b"INFO")),
        "WAV_EMPTY.frames",
        {"found": 12},
    ),
    "half a sample": (
        riff(fmt(), chunk(b"data", b"\1\2\3" * 1001)),
        "WAV_FORMAT.half",
        {"found": 3003},
    ),
    "no samples": (riff(fmt(), chunk(b"LIST", b"ab")), "WAV_FORMAT.no_data", {}),
    "no format": (riff(chunk(b"data", tone())), "WAV_FORMAT.no_fmt", {}),
    "the format behind the samples": (
        riff(chunk(b"data", tone()), fmt()),
        "WAV_FORMAT.no_fmt",
        {},
    ),
    "two formats": (riff(fmt(), fmt(rate=44_100), chunk(b"data", tone())), "WAV_FORMAT.two_fmt", {}),
    "a second format behind": (riff(fmt(), chunk(b"data", tone()), fmt()), "WAV_FORMAT.two_fmt", {}),
    "a second sound behind": (
        riff(fmt(), chunk(b"data", tone()), chunk(b"data", tone(8))),
        "WAV_FORMAT.two_data",
        {},
    ),
    "a short format": (
        riff(chunk(b"fmt ", b"\1\0\1\0\x80\x3e\0\0"), chunk(b"data", tone())),
        "WAV_FORMAT.short_fmt",
        {"found": 8, "wanted": 16},
    ),
    "a short EXTENSIBLE format": (
        riff(fmt(tag=0xFFFE), chunk(b"data", tone())),
        "WAV_FORMAT.short_fmt",
        {"found": 16, "wanted": 40},
    ),
    "EXTENSIBLE float": (
        riff(extensible(b"\x03" + PCM_GUID[1:], bits=32, block=4), chunk(b"data", tone())),
        "WAV_FORMAT.codec",
        {"found": "32-bit float", "wanted": "16-bit PCM"},
    ),
    "EXTENSIBLE of somebody's own": (
        riff(extensible(b"\x01" + bytes(15)), chunk(b"data", tone())),
        "WAV_FORMAT.codec",
        {"found": "of an unknown subformat"},
    ),
    "EXTENSIBLE with 12 valid bits": (
        riff(extensible(valid=12), chunk(b"data", tone())),
        "WAV_FORMAT.width",
        {"found": 12, "wanted": 16},
    ),
    "8 bits": (
        riff(fmt(bits=8, block=1), chunk(b"data", tone())),
        "WAV_FORMAT.width",
        {"found": 8},
    ),
    "24 bits": (
        riff(fmt(bits=24, block=3), chunk(b"data", tone())),
        "WAV_FORMAT.width",
        {"found": 24},
    ),
    "no bits": (riff(fmt(bits=0), chunk(b"data", tone())), "WAV_FORMAT.width", {"found": 0}),
    "float": (
        riff(fmt(tag=3, bits=32, block=4), chunk(b"data", tone())),
        "WAV_FORMAT.codec",
        {"found": "32-bit float"},
    ),
    "A-law": (riff(fmt(tag=6, bits=8), chunk(b"data", tone())), "WAV_FORMAT.codec", {"found": "A-law"}),
    "ADPCM": (
        riff(fmt(tag=2, bits=4), chunk(b"data", tone())),
        "WAV_FORMAT.codec",
        {"found": "Microsoft ADPCM"},
    ),
    "a codec nobody knows": (
        riff(fmt(tag=0x1234), chunk(b"data", tone())),
        "WAV_FORMAT.codec",
        {"found": "of the unknown codec 0x1234"},
    ),
    "stereo": (
        riff(fmt(channels=2, block=4), chunk(b"data", tone())),
        "WAV_FORMAT.channels",
        {"found": 2, "wanted": 1},
    ),
    "no channel": (riff(fmt(channels=0), chunk(b"data", tone())), "WAV_FORMAT.channels", {"found": 0}),
    "another rate": (
        riff(fmt(rate=22_050), chunk(b"data", tone())),
        "WAV_FORMAT.rate",
        {"found": 22_050, "wanted": 16_000},
    ),
    "a rate of zero": (riff(fmt(rate=0), chunk(b"data", tone())), "WAV_FORMAT.rate", {"found": 0}),
    "a block of zero": (riff(fmt(block=0), chunk(b"data", tone())), "WAV_FORMAT.block", {"found": 0}),
    "RIFX": (riff(fmt(), chunk(b"data", tone()), name=b"RIFX"), "WAV_FORMAT.variant", {"found": "RIFX"}),
    "RF64": (riff(fmt(), chunk(b"data", tone()), name=b"RF64"), "WAV_FORMAT.variant", {"found": "RF64"}),
    "too many chunks": (
        riff(fmt(), chunk(b"JUNK", b"") * MOST_CHUNKS, chunk(b"data", tone())),
        "WAV_FORMAT.chunks",
        {"limit": MOST_CHUNKS},
    ),
    "AVI": (b"RIFF\x24\0\0\0AVI LIST" + bytes(40), "WAV_FORMAT.unknown", {}),
    "FLAC": (b"fLaC" + bytes(60), "WAV_FORMAT.kind", {"found": "FLAC"}),
    "MP3": (b"ID3\x03" + bytes(60), "WAV_FORMAT.kind", {"found": "MP3"}),
    "Ogg": (b"OggS" + bytes(60), "WAV_FORMAT.kind", {"found": "Ogg"}),
    "a zip": (b"PK\x03\x04" + bytes(60), "WAV_FORMAT.kind", {"found": "zip"}),
    "text": ("Sorry, no sound: 出错了\n".encode(), "WAV_FORMAT.text", {}),
    "raw samples": (bytes(1_000), "WAV_FORMAT.unknown", {}),
    "too short": (
        wav(tone(1_599)),
        "WAV_DURATION.short",
        {"frames": 1_599, "seconds": 0.0999, "limit": 0.1},
    ),
    "too long": (
        wav(bytes(2 * 960_001)),
        "WAV_DURATION.long",
        {"frames": 960_001, "seconds": 60.0001, "limit": 60.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("step", [3, 1 << 16])
def test_what_is_wrong_is_named_with_its_figures(kind: str, step: int) -> None:
    data, code, params = WRONG[kind]
    clip = look(data, step=step)
    assert found(clip) == [code]
    assert not clip.is_accepted
    (finding,) = clip.findings
    assert finding.severity is Severity.ERROR
    assert finding.params.items() >= params.items()


def test_everything_that_is_wrong_with_a_format_is_named() -> None:
    data = riff(fmt(tag=3, channels=2, rate=48_000, bits=32, block=8), chunk(b"data", tone()))
    assert found(look(data)) == ["WAV_FORMAT.codec", "WAV_FORMAT.channels", "WAV_FORMAT.rate"]
    data = riff(fmt(channels=2, rate=48_000, bits=24, block=6), chunk(b"data", tone()))
    assert found(look(data)) == ["WAV_FORMAT.channels", "WAV_FORMAT.rate", "WAV_FORMAT.width"]


@pytest.mark.parametrize("frames", [1_600, 960_000])
def test_both_ends_of_the_allowed_length_are_allowed(frames: int) -> None:
    assert look(wav(tone(80) * (frames // 80))).is_accepted


def test_the_allowed_length_is_a_setting() -> None:
    bounds = ClipBounds(shortest=Fraction(1), longest=Fraction(2))
    assert found(look(wav(), bounds=bounds)) == ["WAV_DURATION.short"]
    assert look(wav(tone(16_000)), bounds=bounds).is_accepted


WARNED = {
    "digital silence": (bytes(8_000), {"WAV_SILENT.constant": {"value": 0}}),
    "a constant": (
        struct.pack("<h", 1_000) * 4_000,
        {"WAV_SILENT.constant": {"value": 1_000}},
    ),
    "a very quiet clip": (
        tone(height=32),
        {"WAV_SILENT.quiet": {"peak": -60.2, "limit": -60}},
    ),
    "clipping": (
        tone(3_995) + struct.pack("<5h", 32_767, 32_767, -32_768, 32_767, 32_767),
        {"WAV_CLIPPED.full_scale": {"percent": 0.125}},
    ),
    "overflow": (
        struct.pack("<2h", 30_000, -30_000) * 2_000,
        {"WAV_CLIPPED.wrapped": {"percent": 99.975}},
    ),
    "an offset": (tone(offset=1_700), {"WAV_DC_OFFSET": {"percent": 5.188, "limit": 5}}),
}


@pytest.mark.parametrize("kind", WARNED)
@pytest.mark.parametrize("step", [5, 1 << 16])
def test_a_clip_that_sounds_wrong_is_accepted_with_a_warning(kind: str, step: int) -> None:
    samples, expected = WARNED[kind]
    clip = look(wav(samples), step=step)
    assert clip.is_accepted
    said = dict(zip(found(clip), clip.findings, strict=True))
    assert list(said) == list(expected)
    for name, params in expected.items():
        assert said[name].severity is Severity.WARNING
        assert said[name].params.items() >= params.items()


@pytest.mark.parametrize(
    "samples", [tone(height=33), tone(offset=1_500), tone(3_996) + b"\xff\x7f" * 4]
)
def test_below_the_bounds_nothing_is_said(samples: bytes) -> None:
    assert look(wav(samples)).findings == []


@given(st.binary(max_size=200), st.integers(1, 50))
def test_no_bytes_at_all_break_the_walk(data: bytes, step: int) -> None:
    clip = look(data, step=step)
    assert clip.findings
    assert found(clip) == found(look(data))


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255)), max_size=6),
    st.integers(0, 300),
)
def test_a_damaged_file_is_never_read_past_its_end(
    changes: list[tuple[int, int]], cut: int
) -> None:
    data = bytearray(wav(tone(80) * 25, chunk(b"LIST", b"abc"), behind=chunk(b"LIST", b"INFO")))
    for place, value in changes:
        data[place] = value
    whole = bytes(data[: len(data) - cut])
    clip, piecewise = look(whole), look(whole, step=11)
    assert found(clip) == found(piecewise)
    assert clip.start + 2 * clip.frames <= len(whole) or not clip.is_accepted
    if clip.is_accepted:
        assert clip.levels is not None
        assert clip.levels.frames == clip.frames >= 1_600


def test_a_lie_about_the_size_allocates_nothing() -> None:
    data = riff(fmt(), chunk(b"junk", b"", size=0xFFFFFFF0))
    assert found(look(data)) == ["WAV_TRUNCATED.chunk"]
    data = riff(chunk(b"fmt ", b"", size=0xFFFFFFF0))
    assert found(look(data)) == ["WAV_TRUNCATED.header"]
