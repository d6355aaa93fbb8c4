"""What boards and submissions say of numbers: each once, with its unit, and why one is missing."""

from __future__ import annotations

from django.utils import translation

from grading.charts.forest import Span, draw_forest
from grading.scoring import registry
from grading.scoring.bootstrap import ZERO_WIDTH
from grading.scoring.methodology import Phrase, Term
from grading.scoring.reasons import REASONS
from grading.scoring.tracks.columns import SCORE, Column
from grading.sentences import phrase
from grading.views.board_figures import LISTED, scatter_figure
from grading.views.board_page import sentences
from grading.views.board_rows import BoardColumn, BoardRow, columns_of, in_table
from grading.views.methodology import _settings
from grading.views.parts import meanings, part_name, parts_of
from grading.views.reasons import interval_reason, reason

RATE = {"key": SCORE, "label": "WER", "unit": "%", "lower_is_better": True, "digits": 2}


def row(score: float | None, **values: object) -> BoardRow:
    nothing = dict.fromkeys(("place", "band", "first", "last", "low", "high"))
    return BoardRow(
        code="x",
        team="X",
        system="x",
        kind="official",
        state="accepted",
        score=score,
        values={SCORE: score, **values},
        **nothing,
    )


def test_a_part_that_repeats_the_score_in_every_row_has_no_column():
    tabs = [{"key": "en", "label": ""}, {"key": "ta", "label": ""}, {"key": "", "label": "all"}]
    head = {"columns": [RATE], "tabs": tabs}
    columns = columns_of(head, "")
    alike = [row(0.1, en=0.1, ta=0.3), row(0.2, en=0.2, ta=0.1)]
    assert [one.key for one in in_table(columns, alike)] == [SCORE, "ta"]
    another = [row(0.1, en=0.2, ta=0.3), row(0.2, en=0.2, ta=0.1)]
    assert [one.key for one in in_table(columns, another)] == [SCORE, "en", "ta"]


def test_only_marks_brought_to_0_to_1_are_shares():
    share = BoardColumn("A", "A", "0–1", lower_is_better=False, meaning="accuracy")
    flushed = BoardColumn("flushed", "Flushed", "", lower_is_better=None, meaning="late finals")
    assert share.is_share
    assert not flushed.is_share


def test_every_code_has_a_sentence_and_an_unknown_one_is_told_as_it_is():
    assert sentences({ZERO_WIDTH, ""}, REASONS) == [
        "No interval: every resample gives the same score."
    ]
    assert sentences({"NEW_CODE"}, REASONS) == ["NEW_CODE"]
    assert reason("latency", "LEG_MISSING") == "Withheld: a leg of the pipeline is missing."
    assert reason("tts", "LANGUAGE_WITHOUT_UTTERANCES") == "Withheld: a language has no clips."
    assert reason("nvv-t1", "LANGUAGE_WITHOUT_UTTERANCES") == REASONS["LANGUAGE_WITHOUT_UTTERANCES"]
    assert interval_reason("nvv-t1", "") == "No interval could be computed."


def test_a_plot_without_a_score_has_no_scale_to_label():
    assert draw_forest([None, None], None).ticks == ()
    assert draw_forest([Span(3.0), None], None).ticks != ()


def test_the_figure_that_ranks_is_told_once_and_parts_have_names():
    latency = registry.get("latency")
    params = latency.params({"headline": "batch_rtf", "figures": ["batch_rtf", "llm_ttft"]})
    columns = latency.columns_of(params)
    assert [one.key for one in parts_of(columns)] == ["llm_ttft"]
    assert part_name(registry.get("llm").columns, "extraction") == "Extraction F1"
    assert part_name(registry.get("tts").columns, "loop_back") == "Loop-back error"


def test_what_letters_stand_for_is_told_of_shares_alone():
    speech = registry.get("nvv-t2").columns
    assert meanings(parts_of(speech)).startswith("A accuracy of the vocalization · P ")
    rtf = Column("rtf", "RTF", "", lower_is_better=True, meaning="Time by audio.")
    assert meanings(parts_of((Column(SCORE, "Sum", "ms", lower_is_better=True), rtf))) == ""


def test_settings_of_a_group_stand_in_one_line():
    given = {
        "languages": {"en": {"unit": "wer", "beside": ["cer", "mer"]}, "zh": {"unit": "cer"}},
        "weights": {"a": "0.5", "b": "0.5"},
        "seed": 3,
        "judge": {},
    }
    assert _settings(given) == [
        ("languages.en", "unit wer, beside cer, mer"),
        ("languages.zh", "unit cer"),
        ("weights", "a 0.5, b 0.5"),
        ("seed", "3"),
    ]


def test_a_scatter_of_a_thousand_rows_names_forty_and_those_that_nothing_beats():
    axis = {"key": "p", "label": "Pipeline", "unit": "ms", "lower_is_better": True, "digits": 1}
    points = [
        {"entrant": str(n), "team": str(n), "kind": "official", "x": 500.0 + n, "y": 1.0 + n}
        for n in range(999)
    ]
    best = {"entrant": "best", "team": "best", "kind": "official", "x": 100.0, "y": 9.0}
    figure = scatter_figure({"x": axis, "y": axis, "points": [*points, best]})
    assert figure is not None
    assert len(figure.plot.dots) == 1000
    assert [one.team for one in figure.items if one.is_front] == ["0", "best"]
    assert len(figure.items) == LISTED
    assert figure.numbers == {*range(1, LISTED), 1000}
    assert figure.left_out == "960 more are drawn without a number; the table names them."


def test_the_list_beside_a_scatter_has_units():
    axis = {"key": "p", "label": "Pipeline", "unit": "ms", "lower_is_better": True, "digits": 1}
    points = [
        {"entrant": name, "team": name, "kind": "official", "x": x, "y": y}
        for name, x, y in (("a", 694.0, 0.0778), ("b", 965.0, 0.0383))
    ]
    figure = scatter_figure({"x": axis, "y": RATE | {"shown_as": "percent"}, "points": points})
    assert figure is not None
    assert [(one.x, one.y) for one in figure.items] == [
        ("694.0 ms", "7.78 %"),
        ("965.0 ms", "3.83 %"),
    ]


def test_a_term_in_a_sentence_is_told_in_the_reader_s_language():
    told = Phrase("%(plain)s: %(term)s", plain="Streaming", term=Term("Streaming"))
    assert phrase(told) == "Streaming: Streaming"
    with translation.override("zh-hans"):
        assert phrase(told) == "Streaming: 流式"
