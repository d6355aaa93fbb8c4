"""The command line: exit codes, JSON to the letter, words for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grading.scoring.cli import inputs
from tests.scoring.cli.commands import CONTROL, LABELS, REFERENCE, Run, check, score
from tests.scoring.formats.challenge import CASES, IDS, lines

Capsys = pytest.CaptureFixture[str]


def test_check_of_an_accepted_file(capsys: Capsys) -> None:
    run = check(capsys, CONTROL, "--json")
    assert run.code == 0
    assert {key: run.json[key] for key in ("accepted", "problems", "problems_total", "rows")} == {
        "accepted": True,
        "problems": [],
        "problems_total": 0,
        "rows": 4,
    }
    assert run.json["reading"] == "jsonl"


def test_check_of_a_refused_file(capsys: Capsys) -> None:
    run = check(capsys, CASES / "json/t-unknown-en.jsonl", "--json")
    assert run.code == 1
    assert run.json["accepted"] is False
    (problem,) = run.json["problems"]
    assert set(problem) == {"code", "severity", "line", "utt_id", "params", "message"}
    assert (problem["code"], problem["severity"]) == ("UNSUPPORTED_NVV_TAG", "error")
    assert (problem["line"], problem["utt_id"]) == (2, "utt_0002")
    assert "[giggle]" in problem["message"]


def test_a_problem_of_an_archive_carries_its_member(capsys: Capsys) -> None:
    run = check(capsys, CASES / "zip/z-dotdot.zip", "--json")
    (problem,) = run.json["problems"]
    assert problem["member"] == "../utt_0002.wav"
    assert "line" not in problem


def test_all_problems_are_counted_and_a_hundred_are_listed(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"{broken\n" * 150)
    run = check(capsys, path, "--json")
    assert run.code == 1
    assert (len(run.json["problems"]), run.json["problems_total"]) == (100, 151)
    assert run.json["rows"] == 150
    people = check(capsys, path)
    assert "151 problems in all; 51 are not shown." in people.out


def test_warnings_do_not_change_the_exit_code(capsys: Capsys) -> None:
    run = check(capsys, CASES / "json/j-text-empty.jsonl", "--json")
    assert run.code == 0
    assert run.json["problems"][0]["severity"] == "warning"


def test_score_has_the_promised_shape(capsys: Capsys) -> None:
    run = score(capsys, CASES / "json/j-tags-only.jsonl", "--json")
    assert run.code == 0
    result = run.json
    assert (result["track"], result["version"], result["accepted"]) == ("nvv-t1", "1.0.0", True)
    assert len(result["recipe_digest"]) == 64
    assert result["interval"] is None
    assert result["interval_reason"]
    assert set(result["languages"]) == {"en", "zh"}
    wanted = "score interval f1 precision recall tp fp fn mntd ntd_utterances error_rate edits"
    for part in result["languages"].values():
        assert {*wanted.split(), "reference_tokens", "labels"} <= set(part)
        for counts in part["labels"].values():
            assert set(counts) == {"tp", "fp", "fn", "f1"}
    both = [part["score"] for part in result["languages"].values()]
    assert result["score"] == pytest.approx(sum(both) / 2, abs=1e-9)
    assert "empty phase code" in result["seed_note"]


def test_a_perfect_copy_scores_100(capsys: Capsys) -> None:
    for name in ("track1.json", "track1.jsonl", "track1.zip"):
        assert score(capsys, CASES / "control" / name, "--json").json["score"] == 100.0


@pytest.fixture
def big(tmp_path: Path) -> tuple[Path, Path]:
    """References and a submission with some errors, 30 utterances a language."""
    reference, submission = [], []
    for n in range(30):
        for language, text in (
            ("en", f"well number {n} [laugh] goes on"),
            ("zh", "今天[laugh]很好"),
        ):
            row = {"utt_id": f"{language}_{n:02d}", "language": language, "text_with_nvvs": text}
            reference.append(row)
            given = text if n % 3 else text.replace("[laugh]", "") + " [sigh]"
            submission.append({**row, "text_with_nvvs": given})
    paths = tmp_path / "reference.jsonl", tmp_path / "submission.jsonl"
    for path, rows in zip(paths, (reference, submission), strict=True):
        path.write_bytes(lines(*rows))
    return paths


def test_the_seed_is_the_recipes_unless_it_is_given(capsys: Capsys, big: tuple[Path, Path]) -> None:
    words = ["score", "nvv-t1", "--reference", big[0], "--submission", big[1], "--json"]
    default, again = Run(capsys, *words).json, Run(capsys, *words).json
    given = Run(capsys, *words, "--seed", 7).json
    assert default == again
    assert (given["seed"], given["score"]) == (7, default["score"])
    assert "seed_note" not in given
    low, high = default["interval"]
    assert low < default["score"] < high
    same = Run(capsys, *words, "--seed", default["seed"]).json
    assert same["interval"] == default["interval"]


def test_score_for_people(capsys: Capsys, big: tuple[Path, Path]) -> None:
    run = Run(capsys, "score", "nvv-t1", "--reference", big[0], "--submission", big[1])
    assert run.code == 0
    assert "✓ Accepted" in run.out
    assert "95 % interval" in run.out
    assert "en label" in run.out
    assert "empty phase code" in " ".join(run.out.split())
    assert "fewer than 200 utterances" in " ".join(run.out.split())
    assert "\x1b" not in run.out + run.err


@pytest.mark.parametrize(
    ("seed", "code"), [(0, 0), (2**64 - 1, 0), (2**64, 2), ("-1", 2), ("1e3", 2), ("٣", 2)]
)
def test_a_seed_has_64_bits(capsys: Capsys, seed: object, code: int) -> None:
    run = score(capsys, CONTROL, "--json", "--seed", seed)
    assert run.code == code
    assert run.json["seed"] == seed if code == 0 else "2**64 - 1" in run.err


@pytest.mark.parametrize(("count", "noted"), [(199, True), (200, False)])
def test_fewer_than_200_utterances_are_noted(
    capsys: Capsys, tmp_path: Path, count: int, noted: bool
) -> None:
    path = tmp_path / "r.jsonl"
    rows = [
        {"utt_id": f"{language}{n}", "language": language, "text_with_nvvs": "[laugh] a"}
        for language in ("en", "zh")
        for n in range(count)
    ]
    path.write_bytes(lines(*rows))
    run = Run(capsys, "score", "nvv-t1", "--reference", path, "--submission", path)
    assert ("fewer than 200 utterances" in " ".join(run.out.split())) is noted


def test_a_file_that_is_not_accepted_has_no_score(capsys: Capsys) -> None:
    run = score(capsys, CASES / "json/t-inner.jsonl", "--json")
    assert run.code == 1
    assert run.json["accepted"] is False
    assert "score" not in run.json


def test_references_without_a_language_are_refused(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "en.jsonl"
    path.write_bytes(b"".join(REFERENCE.read_bytes().splitlines(keepends=True)[:2]))
    for command in ("check", "score"):
        words = [command, "nvv-t1", "--reference", path, "--submission", CONTROL]
        run = Run(capsys, *words, "--json")
        assert run.code == 1
        assert run.json["problems"][0]["code"] == "REFERENCE_LANGUAGE_COVERAGE_ERROR"
        assert run.json["file"] == "reference"
        assert Run(capsys, *words).code == 1


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(list(IDS)).encode(),
        json.dumps(list(IDS), indent=1).encode(),
        lines(*({"utt_id": utt_id} for utt_id in IDS)),
        lines(*({"utt_id": utt_id, "language": language} for utt_id, language in IDS.items())),
        json.dumps([{"utt_id": utt_id} for utt_id in IDS]).encode(),
    ],
)
def test_a_manifest_of_ids_is_enough_to_check(capsys: Capsys, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "ids.json"
    path.write_bytes(data)
    words = ["check", "nvv-t1", "--manifest", path, "--submission"]
    assert Run(capsys, *words, CONTROL, "--json").json["accepted"] is True
    run = Run(capsys, *words, CASES / "json/j-ids-upper.jsonl", "--json")
    assert run.json["problems"][0]["code"] == "MISSING_SAMPLES"


@pytest.mark.parametrize("data", [b"", b"[]", b"[1]", b'["a", "a"]', b'{"a": ', b"\xff", b"null"])
def test_a_wrong_manifest_is_a_wrong_use(capsys: Capsys, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "ids.json"
    path.write_bytes(data)
    run = Run(capsys, "check", "nvv-t1", "--manifest", path, "--submission", CONTROL)
    assert run.code == 2
    assert "ids.json" in run.err
    assert run.out == ""


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"[1]", b'["a", "A"]', b"[NaN]", b"["])
def test_wrong_labels_are_a_wrong_use(capsys: Capsys, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "labels.json"
    path.write_bytes(data)
    run = check(capsys, CONTROL, "--labels", path)
    assert run.code == 2
    assert "labels.json" in run.err


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["check"],
        ["check", "nvv-t9", "--reference", REFERENCE, "--submission", CONTROL],
        ["check", "nvv-t1", "--submission", CONTROL],
        ["check", "nvv-t1", "--reference", REFERENCE, "--manifest", REFERENCE],
        ["check", "nvv-t1", "--reference", REFERENCE, "--submission", "/nowhere/at/all"],
        ["check", "nvv-t1", "--reference", "/nowhere", "--submission", CONTROL],
        ["check", "nvv-t1", "--manifest", CASES, "--submission", CONTROL],
        ["score", "nvv-t1", "--reference", REFERENCE],
        ["score", "nvv-t1", "--reference", REFERENCE, "--submission", CASES],
        ["score", "nvv-t1", "--reference", REFERENCE, "--submission", CONTROL, "--seed", "-1"],
        ["score", "nvv-t1", "--reference", REFERENCE, "--submission", CONTROL, "--seed", "x"],
        ["bands"],
        ["bands", "--rows", "/nowhere"],
        ["bands", "--rows", LABELS, "--rule", "other"],
    ],
)
def test_a_wrong_use_ends_with_2_and_a_sentence(capsys: Capsys, words: list[object]) -> None:
    run = Run(capsys, *words)
    assert run.code == 2
    assert run.err
    assert "Traceback" not in run.err
    assert run.out == ""


ROWS = [
    {"name": "c", "score": 69, "low": 65, "high": 73, "team": "Team Cedar"},
    {"name": "a", "score": 80.0, "low": 75.0, "high": 85.0},
    {"name": "w", "score": None, "low": None, "high": None},
    {"name": "b", "score": 74.0, "low": 70.0, "high": 78.0},
    {"name": "d", "score": 50.0, "low": None, "high": None},
    {"name": "n", "score": 99.0, "ranked": False},
]


def test_bands_of_rows(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(ROWS))
    rows = Run(capsys, "bands", "--rows", path, "--json").json
    assert [row["name"] for row in rows] == ["n", "a", "b", "c", "d", "w"]
    standing = {row["name"]: (row["place"], row["band"], row["range"]) for row in rows}
    assert standing == {
        "a": (1, 1, [1, 2]),
        "b": (2, 1, [1, 3]),
        "c": (3, 3, [2, 3]),
        "d": (4, 4, [4, 4]),
        "n": (None, None, None),
        "w": (None, None, None),
    }
    assert rows[3]["team"] == "Team Cedar"
    joined = Run(capsys, "bands", "--rows", path, "--rule", "components", "--json").json
    assert {row["name"]: row["band"] for row in joined}["c"] == 1
    people = Run(capsys, "bands", "--rows", path)
    assert people.code == 0
    assert "withheld" in people.out
    low = Run(capsys, "bands", "--rows", path, "--lower-is-better", "--json").json
    assert low[0]["name"] == "d"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ('[{"name": "a", "score": NaN}]', "NaN"),
        ('[{"name": "a", "score": 1e999}]', "row 1: score is infinite"),
        ('[{"name": "a", "score": 1, "note": [1e999]}]', "row 1: note has a number"),
        ('[{"name": "a", "score": 1, "ranked": 1}]', "row 1: ranked must be"),
        *(
            (f'[{{"name": "a", "score": 1, "{name}": 1{"0" * 350}}}]', f"row 1: {name} is")
            for name in ("low", "high")
        ),
        (f'[{{"name": "a", "score": -1{"0" * 350}}}]', "row 1: score is infinite, or too large"),
        ('[{"name": "a", "score": 1, "low": 2, "high": 1}]', "above"),
        ('[{"name": "a", "score": "1"}]', "number"),
        ('[{"name": "a", "score": true}]', "number"),
        ('[{"score": 1}]', "name"),
        ('[{"name": "a"}]', "score"),
        ("[1]", "object"),
        ('"a"', "list"),
        ("", "JSON"),
        ("[" * 5000, "nested"),
    ],
)
def test_rows_that_cannot_be_ranked_are_refused(
    capsys: Capsys, tmp_path: Path, data: str, word: str
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(data)
    run = Run(capsys, "bands", "--rows", path, "--json")
    assert run.code == 1
    assert word in run.err
    assert run.out == ""


def test_a_number_of_hundreds_of_digits_is_printed_where_nothing_ranks_by_it(
    capsys: Capsys, tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(f'[{{"name": "a", "score": 1, "note": 1{"0" * 350}}}]')
    assert Run(capsys, "bands", "--rows", path, "--json").json[0]["note"] == 10**350


def test_a_file_without_an_end_is_read_up_to_a_bound(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LARGEST_FILE", LABELS.stat().st_size)
    assert inputs.read_file(LABELS) == LABELS.read_bytes()
    run = Run(
        capsys, "check", "nvv-t1", "--manifest", "/dev/zero", "--submission", tmp_path / "none"
    )
    assert run.code == 2
    assert "/dev/zero: is larger than" in run.err


def test_methodology_is_printed(capsys: Capsys) -> None:
    run = Run(capsys, "methodology", "nvv-t1")
    assert run.code == 0
    assert "nvv-t1 1.0.0" in run.out
    assert "mNTD" in run.out
    sections = Run(capsys, "methodology", "nvv-t1", "--json").json
    assert {"title", "paragraphs", "formula", "examples"} == set(sections[0])


TRACK_1 = [
    case["file"]
    for case in json.loads((CASES / "inputs.json").read_text("utf-8"))["cases"]
    if case["track"] == "1" or case["file"].startswith("zip/")
]


@pytest.mark.parametrize("name", TRACK_1)
def test_every_case_can_be_printed_both_ways(capsys: Capsys, name: str) -> None:
    as_json = check(capsys, CASES / name, "--json")
    people = check(capsys, CASES / name)
    assert as_json.code == people.code == (0 if as_json.json["accepted"] else 1)
    assert as_json.err == people.err == ""
    assert "\x1b" not in people.out
    for problem in as_json.json["problems"]:
        assert problem["code"] in people.out


def test_the_manifest_may_be_what_the_api_gives(capsys: Capsys, tmp_path: Path) -> None:
    rows = [{"utt_id": utt_id, "language": "en"} for utt_id in IDS]
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"references": "final v1", "utterances": rows}))
    run = Run(capsys, "check", "nvv-t1", "--manifest", manifest, "--submission", CONTROL, "--json")
    assert (run.code, run.json["problems"]) == (0, [])


def test_a_manifest_of_the_api_without_an_id_names_the_place(
    capsys: Capsys, tmp_path: Path
) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"utterances": [{"utt_id": "a"}, {"language": "en"}]}))
    run = Run(capsys, "check", "nvv-t1", "--manifest", manifest, "--submission", CONTROL)
    assert run.code == 2
    assert "utterance 2: there is no utterance id" in run.err


def test_a_competitions_settings_change_the_score_and_the_recipe(
    capsys: Capsys, tmp_path: Path
) -> None:
    settings = tmp_path / "params.json"
    settings.write_text(json.dumps({"weights": {"f1": 0, "mntd": 0, "error": 1}}))
    file = CASES / "json/j-tags-only.jsonl"
    plain, own = score(capsys, file, "--json"), score(capsys, file, "--params", settings, "--json")
    error = {name: part["error_rate"] for name, part in own.json["languages"].items()}
    expected = sum(100 * (1 - min(rate, 1)) for rate in error.values()) / len(error)
    assert own.json["score"] == pytest.approx(expected, abs=1e-9)
    assert own.json["recipe_digest"] != plain.json["recipe_digest"]


@pytest.mark.parametrize("text", ["[1]", '{"weights": {"f1": 2}}', '{"weight": 1}', "{"])
def test_settings_that_cannot_be_used_are_named(capsys: Capsys, tmp_path: Path, text: str) -> None:
    settings = tmp_path / "params.json"
    settings.write_text(text)
    run = score(capsys, CONTROL, "--params", settings)
    assert run.code == 2
    assert "params.json" in run.err
