from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from competition.definition import Catalog, Fault, parse
from competition.definition.tree import DEPTH_LIMIT, SIZE_LIMIT, plain, read_tree

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvv-demo" / "competition.yaml"

CATALOG = Catalog(
    limits={
        "nvv-t1": frozenset({"file_bytes", "tags"}),
        "nvv-t2": frozenset({"file_bytes", "member_bytes"}),
    },
    check_params=lambda kind, raw: (),
)

SMALL = """\
slug: small
version: 3
languages: [en]
title: {en: Small}
terms: {version: a, text: {en: Play fair.}}
tracks:
  - slug: understanding
    kind: nvv-t1
    title: {en: Understanding}
    params: {weights: {f1: 0.7}}
    phases:
      - slug: dev
        title: {en: Development}
        opens_at: 2026-12-01 00:00 AoE
        closes_at: 2026-12-08 23:59 AoE
        references: refs/dev.jsonl
"""


def faults_of(text: str, catalog: Catalog = CATALOG) -> list[str]:
    parsed = parse(text.encode(), catalog)
    assert (parsed.definition is None) == bool(parsed.faults)
    return [str(fault) for fault in parsed.faults]


def changed(old: str, new: str) -> list[str]:
    assert SMALL.count(old) == 1
    return faults_of(SMALL.replace(old, new))


def test_a_phase_says_where_its_clips_come_from() -> None:
    assert parse(SMALL.encode(), CATALOG).definition.tracks[0].phases[0].clips == "listed"  # type: ignore[union-attr]
    line = "references: refs/dev.jsonl"
    drawn = parse(SMALL.replace(line, f"{line}\n        clips: drawn").encode(), CATALOG)
    assert drawn.definition.tracks[0].phases[0].clips == "drawn"  # type: ignore[union-attr]
    (fault,) = changed(line, f"{line}\n        clips: dawn")
    assert "clips" in fault


def test_a_phase_says_who_sends_files_to_it() -> None:
    assert parse(SMALL.encode(), CATALOG).definition.tracks[0].phases[0].senders == "entrants"  # type: ignore[union-attr]
    line = "references: refs/dev.jsonl"
    theirs = parse(SMALL.replace(line, f"{line}\n        senders: organizers").encode(), CATALOG)
    assert theirs.definition.tracks[0].phases[0].senders == "organizers"  # type: ignore[union-attr]
    (fault,) = changed(line, f"{line}\n        senders: organizer")
    assert "did you mean organizers?" in fault


def test_a_small_definition_has_the_documented_defaults() -> None:
    parsed = parse(SMALL.encode(), CATALOG)
    assert parsed.faults == ()
    definition = parsed.definition
    assert definition is not None
    assert (definition.state, definition.contact, definition.accept_automatically) == (
        "draft",
        "",
        True,
    )
    assert definition.texts == {"en": {"title": "Small"}}
    [phase] = definition.tracks[0].phases
    assert phase.opens_at == datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert phase.closes_at == datetime(2026, 12, 9, 12, tzinfo=UTC)
    assert (phase.quota_per_day, phase.quota_total, phase.frozen_from) == (None, None, None)
    assert (phase.feedback, phase.board_visibility, phase.grace_minutes) == (
        "rounded",
        "public",
        30,
    )
    assert (phase.selection, phase.band_rule, phase.limits) == ("marked-else-best", "leader", {})


def test_the_example_is_a_definition() -> None:
    catalog = Catalog(
        limits={
            "nvv-t1": frozenset({"file_bytes", "unpacked_bytes", "text_characters", "tags"}),
            "nvv-t2": frozenset({"file_bytes", "unpacked_bytes", "member_bytes"}),
        },
        check_params=lambda kind, raw: (),
    )
    parsed = parse(EXAMPLE.read_bytes(), catalog)
    assert parsed.faults == ()
    assert parsed.definition is not None
    assert len(parsed.definition.tracks[0].params["labels"]) == 16
    assert set(parsed.definition.texts) == {"en", "zh-Hans", "zh-Hant"}


def test_every_fault_is_found_at_once_with_its_line() -> None:
    text = SMALL.replace("version: 3", "version: three").replace("kind: nvv-t1", "kind: nvv-1")
    text = text.replace("closes_at: 2026-12-08", "closes_at: 2026-11-08")
    text = text.replace("references: refs/dev.jsonl", "references: ../dev.jsonl\n        qota: {}")
    assert faults_of(text) == [
        "line 2, column 10: version: expected a whole number",
        "line 8, column 11: tracks[0].kind: nvv-1 is none of nvv-t1, nvv-t2; did you mean nvv-t1?",
        "line 15, column 20: tracks[0].phases[0].closes_at: the phase closes before it opens",
        "line 16, column 21: tracks[0].phases[0].references: expected a path inside the definition's folder, with /",
        "line 17, column 9: tracks[0].phases[0].qota: qota is not known here; did you mean quota?",
    ]


FAULTS = [
    ("slug: small\n", "", "line 1, column 1: slug: slug is missing"),
    ("slug: small", "slug: Small One", "line 1, column 7: slug: use lower-case letters"),
    ("slug: small", "slug: " + "a" * 65, "slug: longer than 64 characters"),
    ("slug: small", "slug: [a]", "slug: expected a text"),
    ("slug: small", "slug: null", "slug: expected a text"),
    ("version: 3", "version: 0", "version: 0 is not between 1 and"),
    ("version: 3", "version: true", "version: expected a whole number"),
    ("version: 3", "version: 3\nstate: open", "state: open is none of draft, published, archived"),
    ("version: 3", "version: 3\ntimezone: CET", "timezone: CET is none of AoE"),
    ("version: 3", "version: 3\ncontact: nobody", "contact: this is not an e-mail address"),
    ("version: 3", "version: 3\naccept_automatically: yes", "expected true or false"),
    ("version: 3", "version: 3\nbaselines: [{team: A}]", "baselines[0].system: system is missing"),
    ("version: 3", "version: 3\nbaselines: {}", "baselines: expected a list"),
    ("languages: [en]", "languages: []", "languages: the list is empty"),
    ("languages: [en]", "languages: [zh-Hans]", "languages: en must be among them"),
    ("languages: [en]", "languages: [en, en]", "languages: en stands here twice"),
    ("languages: [en]", "languages: [en, '12']", "12 is no language code"),
    ("title: {en: Small}", "title: Small", "title: expected a mapping of keys to values"),
    ("title: {en: Small}", "title: {en: ''}", "title.en: the text is empty"),
    ("title: {en: Small}", 'title: {en: "a\\0b"}', "holds a character that cannot be stored"),
    ("title: {en: Small}", "title: {en: Small, fr: Petit}", "title.fr: fr is not among"),
    ("title: {en: Small}", "title: {}", "the text in en is missing"),
    ("terms: {version: a, text: {en: Play fair.}}", "summary: {en: x}", "terms: terms is missing"),
    ("params: {weights: {f1: 0.7}}", "board: {}", "tracks[0].params: params is missing"),
    ("params: {weights: {f1: 0.7}}", "params: [1]", "params: expected a mapping"),
    ("opens_at: 2026-12-01 00:00 AoE", "opens_at: 2026-12-01", "expected a moment like"),
    ("opens_at: 2026-12-01 00:00 AoE", "quota: {per_day: 0}\n        opens_at: 2026-12-01 00:00 AoE", "quota.per_day: 0 is not between"),
    ("references: refs/dev.jsonl", "references: /etc/passwd", "expected a path inside"),
    ("references: refs/dev.jsonl", "references: 'C:x'", "expected a path inside"),
    ("references: refs/dev.jsonl", "references: a\n        limits: {tagz: 1}", "tagz is not known here; did you mean tags?"),
    ("references: refs/dev.jsonl", "references: a\n        limits: {tags: -1}", "limits.tags: -1 is not between"),
    ("references: refs/dev.jsonl", "references: a\n        freeze_at: 2027-01-01 00:00 AoE", "freeze_at: the board is frozen while the phase is open"),
    ("references: refs/dev.jsonl", "references: a\n        feedback: some", "feedback: some is none of"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_one_fault_is_one_sentence(old: str, new: str, message: str) -> None:
    [fault] = changed(old, new)
    assert message in fault


def test_tracks_and_phases_have_names_of_their_own() -> None:
    twice = SMALL + SMALL[SMALL.index("  - slug: understanding") :]
    assert faults_of(twice) == [
        "line 17, column 11: tracks[1].slug: understanding is used twice",
    ]


def test_a_plain_no_is_text_and_a_quoted_number_too() -> None:
    root, faults = read_tree(
        b"a: no\nb: '3'\nc: 0o7\nd: 1e3\ne: ~\nf: 2026-12-01\ng: 012\nh: .inf\n"
    )
    assert faults == []
    assert root is not None
    assert plain(root) == {
        "a": "no", "b": "3", "c": "0o7", "d": 1000.0, "e": None, "f": "2026-12-01", "g": 12, "h": ".inf",
    }  # fmt: skip


REFUSED = [
    ("a: &x 1\nb: *x\n", ["line 1, column 4: an anchor (&x)", "line 2, column 4: an alias (*x)"]),
    ("a: !!int 1\n", ["line 1, column 4: a tag (tag:yaml.org,2002:int) is not allowed"]),
    ("a: !<x> {}\n", ["a tag (x) is not allowed"]),
    (
        "a: 1\nb: 2\na: 3\n",
        ["line 3, column 1: the key a stands here again; it was given in line 1"],
    ),
    ("a: 1\n---\nb: 2\n", ["line 2, column 1: only one document is allowed"]),
    ("? [x]\n: 1\n", ["line 1, column 3: a key must be a plain word"]),
    ("a: [\n", ["this is not YAML"]),
    ("\ta: 1\n", ["line 1, column 1: this is not YAML"]),
    ("a: b: c\n", ["line 1, column 5: this is not YAML"]),
    ("", ["line 1, column 1: the file is empty"]),
    ("# only a comment\n", ["the file is empty"]),
    ("a: \x07\n", ["line 1, column 4: a character that YAML does not allow"]),
]


@pytest.mark.parametrize(("text", "messages"), REFUSED)
def test_tricks_of_yaml_are_refused_where_they_stand(text: str, messages: list[str]) -> None:
    _root, faults = read_tree(text.encode())
    assert len(faults) == len(messages)
    for fault, message in zip(sorted(faults), messages, strict=True):
        assert message in str(fault)


def test_an_alias_bomb_is_not_unfolded() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
    )
    assert len(faults_of(bomb)) > 80


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_without_recursion(opening: str) -> None:
    [fault] = faults_of(opening * 50_000)
    assert f"nested deeper than {DEPTH_LIMIT} levels" in fault


def test_a_file_over_one_mebibyte_is_refused() -> None:
    assert faults_of("#" * (SIZE_LIMIT + 1)) == [
        f"line 1, column 1: the file is larger than {SIZE_LIMIT} bytes"
    ]


def test_bytes_that_are_not_utf8_are_named() -> None:
    parsed = parse(b"a: 1\nb: \xff\n", CATALOG)
    assert parsed.faults == (Fault(2, 1, "", "byte 8 is not UTF-8"),)


def test_a_byte_order_mark_is_accepted() -> None:
    assert parse(b"\xef\xbb\xbf" + SMALL.encode(), CATALOG).faults == ()


def test_faults_of_parameters_stand_at_their_own_lines() -> None:
    catalog = Catalog(
        limits={"nvv-t1": frozenset()},
        check_params=lambda kind, raw: [("weights.f1", "too small"), ("labels", "missing")],
    )
    text = SMALL.replace("params: {weights: {f1: 0.7}}", "params:\n      weights:\n        f1: 0.7")
    assert faults_of(text, catalog) == [
        "line 11, column 7: tracks[0].params.labels: missing",
        "line 12, column 13: tracks[0].params.weights.f1: too small",
    ]


@given(st.text(max_size=60), st.integers(0, len(SMALL)))
def test_any_text_anywhere_gives_faults_or_a_definition_and_never_an_error(
    piece: str, at: int
) -> None:
    data = (SMALL[:at] + piece + SMALL[at:]).encode("utf-8", "surrogatepass")
    parsed = parse(data, CATALOG)
    assert (parsed.definition is None) == bool(parsed.faults)


@pytest.mark.parametrize("kind", ["{a: b}", "[a]", "1", "null"])
def test_a_kind_that_is_no_name_is_a_fault(kind: str) -> None:
    assert "kind: nvv-t1" in SMALL
    parsed = parse(SMALL.replace("kind: nvv-t1", f"kind: {kind}").encode(), CATALOG)
    assert any(fault.path == "tracks[0].kind" for fault in parsed.faults)


@given(st.binary(max_size=60))
def test_any_bytes_give_faults(data: bytes) -> None:
    assert parse(data, CATALOG).faults
