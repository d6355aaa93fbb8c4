"""Odd WAV files of many writers: each with the first error it gets, none where it is accepted."""

from __future__ import annotations

import struct

import pytest

from grading.scoring.audio.limits import ClipBounds
from grading.scoring.audio.riff import examine
from grading.scoring.formats.sources import ByteStream
from grading.scoring.types import Severity
from tests.scoring.audio.waves import PCM_GUID, chunk, extensible, fmt, riff, tone, wav

TONE = tone()
SAMPLES = chunk(b"data", TONE)
AMBISONIC = bytes.fromhex("010000002107d3118644c8c1ca000000")
WAVES = {
 "LIST odd padded": (riff(fmt(), chunk(b"LIST", b"INFOx"), SAMPLES), ""),
 "LIST odd unpadded": (riff(fmt(), chunk(b"LIST", b"INFOx", pad=False), SAMPLES), ""),
 "JUNK before fmt": (riff(chunk(b"JUNK", bytes(28)), fmt(), SAMPLES), ""),
 "JUNK odd before fmt": (riff(chunk(b"JUNK", bytes(27)), fmt(), SAMPLES), ""),
 "JUNK odd unpadded before fmt": (riff(chunk(b"JUNK", bytes(27), pad=False), fmt(), SAMPLES), ""),
 "PAD 64k": (riff(fmt(), chunk(b"PAD ", bytes(65536)), SAMPLES), ""),
 "bext 603": (riff(chunk(b"bext", bytes(603)), fmt(), SAMPLES), ""),
 "fact": (riff(fmt(), chunk(b"fact", struct.pack("<L", 4000)), SAMPLES), ""),
 "fact lies": (riff(fmt(), chunk(b"fact", struct.pack("<L", 0)), SAMPLES), ""),
 "fact empty": (riff(fmt(), chunk(b"fact", b""), SAMPLES), ""),
 "two fact": (riff(fmt(), chunk(b"fact", b"1234"), chunk(b"fact", b"1234"), SAMPLES), ""),
 "two data": (riff(fmt(), SAMPLES, SAMPLES), "WAV_FORMAT.two_data"),
 "data LIST data": (riff(fmt(), SAMPLES, chunk(b"LIST", b"abcd"), SAMPLES), "WAV_FORMAT.two_data"),
 "empty data then data": (riff(fmt(), chunk(b"data", b""), SAMPLES), "WAV_EMPTY.frames"),
 "data then empty data": (riff(fmt(), SAMPLES, chunk(b"data", b"")), "WAV_FORMAT.two_data"),
 "two fmt same": (riff(fmt(), fmt(), SAMPLES), "WAV_FORMAT.two_fmt"),
 "fmt data fmt": (riff(fmt(), SAMPLES, fmt()), "WAV_FORMAT.two_fmt"),
 "fmt 18": (riff(fmt(more=b"\0\0"), SAMPLES), ""),
 "fmt 18 lying cbSize": (riff(fmt(more=b"\x16\0"), SAMPLES), ""),
 "fmt 17": (riff(fmt(more=b"\0"), SAMPLES), ""),
 "fmt 17 unpadded": (riff(chunk(b"fmt ", fmt()[8:] + b"\0", pad=False), SAMPLES), ""),
 "fmt 5000": (riff(fmt(more=bytes(4984)), SAMPLES), ""),
 "fmt 14": (riff(chunk(b"fmt ", fmt()[8:22]), SAMPLES), "WAV_FORMAT.short_fmt"),
 "fmt 0": (riff(chunk(b"fmt ", b""), SAMPLES), "WAV_FORMAT.short_fmt"),
 "ext": (riff(extensible(), SAMPLES), ""),
 "ext valid 0": (riff(extensible(valid=0), SAMPLES), ""),
 "ext valid 12": (riff(extensible(valid=12), SAMPLES), "WAV_FORMAT.width"),
 "ext valid 24": (riff(extensible(valid=24), SAMPLES), "WAV_FORMAT.width"),
 "ext valid 65535": (riff(extensible(valid=65535), SAMPLES), "WAV_FORMAT.width"),
 "ext guid last": (riff(extensible(PCM_GUID[:-1] + b"\x70"), SAMPLES), "WAV_FORMAT.codec"),
 "ext guid zero": (riff(extensible(bytes(16)), SAMPLES), "WAV_FORMAT.codec"),
 "ext guid float": (riff(extensible(b"\x03" + PCM_GUID[1:]), SAMPLES), "WAV_FORMAT.codec"),
 "ext guid ambisonic": (riff(extensible(AMBISONIC), SAMPLES), "WAV_FORMAT.codec"),
 "ext cut 18": (riff(fmt(tag=0xFFFE, more=b"\x16\0"), SAMPLES), "WAV_FORMAT.short_fmt"),
 "ext cut 39": (riff(chunk(b"fmt ", extensible()[8:47], pad=False), SAMPLES), "WAV_FORMAT.short_fmt"),
 "ext cbSize 0": (riff(fmt(tag=0xFFFE, more=struct.pack("<2HL", 0, 16, 4) + PCM_GUID), SAMPLES), ""),
 "tag 0": (riff(fmt(tag=0), SAMPLES), "WAV_FORMAT.codec"),
 "tag ffff": (riff(fmt(tag=0xFFFF), SAMPLES), "WAV_FORMAT.codec"),
 "bits 65535": (riff(fmt(bits=65535), SAMPLES), "WAV_FORMAT.width"),
 "bits 15": (riff(fmt(bits=15), SAMPLES), "WAV_FORMAT.width"),
 "rate max": (riff(fmt(rate=0xFFFFFFFF), SAMPLES), "WAV_FORMAT.rate"),
 "rate 15999": (riff(fmt(rate=15999), SAMPLES), "WAV_FORMAT.rate"),
 "block 4": (riff(fmt(block=4), SAMPLES), "WAV_FORMAT.block"),
 "riff 0": (riff(fmt(), SAMPLES, size=0), ""),
 "riff 4": (riff(fmt(), SAMPLES, size=4), ""),
 "riff odd": (riff(fmt(), SAMPLES, size=8037), ""),
 "riff ff": (riff(fmt(), SAMPLES, size=0xFFFFFFFF), ""),
 "data 0 riff right": (riff(fmt(), chunk(b"data", TONE, size=0)), "WAV_"),
 "data ffff": (riff(fmt(), chunk(b"data", TONE, size=0xFFFFFFFF)), "WAV_TRUNCATED.stream"),
 "data fffe": (riff(fmt(), chunk(b"data", TONE, size=0xFFFFFFFE)), "WAV_TRUNCATED.stream"),
 "data 80000000": (riff(fmt(), chunk(b"data", TONE, size=0x80000000)), "WAV_TRUNCATED.stream"),
 "data 7fffffff": (riff(fmt(), chunk(b"data", TONE, size=0x7FFFFFFF)), "WAV_TRUNCATED.stream"),
 "data +2": (riff(fmt(), chunk(b"data", TONE, size=8002)), "WAV_TRUNCATED.data"),
 "data +1": (riff(fmt(), chunk(b"data", TONE, size=8001)), "WAV_TRUNCATED.data"),
 "data -1 odd": (riff(fmt(), chunk(b"data", TONE, size=7999)), "WAV_FORMAT.half"),
 "data -2": (riff(fmt(), chunk(b"data", TONE, size=7998)), ""),
 "odd data, padded": (riff(fmt(), chunk(b"data", TONE + b"\1")), "WAV_FORMAT.half"),
 "DATA caps": (riff(fmt(), chunk(b"DATA", TONE)), "WAV_FORMAT.no_data"),
 "data as RIFF end": (riff(fmt(), b"data"), "WAV_TRUNCATED.header"),
 "RIFX": (riff(fmt(), SAMPLES, name=b"RIFX"), "WAV_FORMAT.variant"),
 "RF64 whole": (b"RF64\xff\xff\xff\xffWAVE" + chunk(b"ds64", struct.pack("<3QL", 8080, 8000, 4000, 0)) + fmt() + chunk(b"data", TONE, size=0xFFFFFFFF), "WAV_FORMAT.variant"),
 "BW64": (riff(fmt(), SAMPLES, name=b"BW64"), "WAV_FORMAT.variant"),
 "riff lower": (riff(fmt(), SAMPLES, name=b"riff"), "WAV_FORMAT"),
 "RIFF avi": (b"RIFF" + struct.pack("<L", 100) + b"AVI " + bytes(92), "WAV_FORMAT"),
 "wave lower": (b"RIFF" + struct.pack("<L", 8036) + b"wave" + fmt() + SAMPLES, "WAV_FORMAT"),
 "ds64 inside RIFF": (riff(chunk(b"ds64", bytes(28)), fmt(), SAMPLES), ""),
 "999 junk": (riff(fmt(), *[chunk(b"JUNK", b"")] * 997, SAMPLES), ""),
 "1001 junk": (riff(fmt(), *[chunk(b"JUNK", b"")] * 1001, SAMPLES), "WAV_FORMAT.chunks"),
 "chunk no ascii": (riff(fmt(), chunk(b"\xff\xfe\0\1", b"1234"), SAMPLES), ""),
 "chunk huge": (riff(fmt(), chunk(b"LIST", b"1234", size=0xFFFFFFF0), SAMPLES), "WAV_TRUNCATED.chunk"),
 "wavl": (riff(fmt(), chunk(b"LIST", b"wavl" + SAMPLES)), "WAV_FORMAT.no_data"),
 "cue smpl": (riff(fmt(), chunk(b"cue ", bytes(28)), chunk(b"smpl", bytes(36)), SAMPLES, chunk(b"plst", bytes(4))), ""),
 "id3 chunk": (riff(fmt(), SAMPLES, chunk(b"id3 ", bytes(33))), ""),
 "ID3 before": (b"ID3\x03\0\0\0\0\0\x0a" + bytes(10) + riff(fmt(), SAMPLES), "WAV_FORMAT"),
 "prefix byte": (b"\0" + riff(fmt(), SAMPLES), "WAV_FORMAT"),
 "BOM": (b"\xef\xbb\xbf" + riff(fmt(), SAMPLES), "WAV_FORMAT"),
 "newline before": (b"\n" + riff(fmt(), SAMPLES), "WAV_FORMAT"),
 "RIFF4": (b"RIFF", "WAV_TRUNCATED.header"),
 "11 bytes": (riff(fmt(), SAMPLES)[:11], "WAV_TRUNCATED.header"),
 "12 bytes": (riff(fmt(), SAMPLES)[:12], "WAV_FORMAT.no_fmt"),
 "1 byte": (b"R", "WAV_"),
 "empty": (b"", "WAV_EMPTY"),
 "html": (b"<html>404</html>", "WAV_FORMAT.kind"),
 "two RIFF glued": (riff(fmt(), SAMPLES) * 2, ""),
 "RIFF in RIFF size": (riff(fmt(), SAMPLES, riff(fmt(), SAMPLES)), ""),
 "cset": (riff(chunk(b"CSET", bytes(8)), fmt(), SAMPLES), ""),
 "mulaw 8k": (riff(fmt(tag=7, bits=8, block=1, rate=8000), SAMPLES), "WAV_FORMAT.codec"),
 "1600": (wav(tone(1600)), ""),
 "1599": (wav(tone(1599)), "WAV_DURATION"),
 "960000": (wav(tone(80) * 12000), ""),
 "960001": (wav(tone(80) * 12000 + b"\0\0"), "WAV_DURATION"),
}  # fmt: skip


def first_error(data: bytes, step: int) -> str:
    """Return code and reason of the first error, empty for a clip that is accepted."""
    cut = (data[at : at + step] for at in range(0, len(data), step))
    clip = examine(ByteStream(cut), len(data), ClipBounds())
    errors = [one for one in clip.findings if one.severity is Severity.ERROR]
    assert clip.is_accepted is not bool(errors)
    return f"{errors[0].code}.{errors[0].params.get('reason', '')}" if errors else ""


@pytest.mark.parametrize("name", WAVES)
def test_an_odd_wave_gets_its_verdict_however_it_is_cut(name: str) -> None:
    data, wanted = WAVES[name]
    found = {first_error(data, step) for step in (977, 1 << 16)}
    assert len(found) == 1
    (error,) = found
    assert error.startswith(wanted) if wanted else not error
