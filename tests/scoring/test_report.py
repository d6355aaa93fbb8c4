"""The collector of problems: what is listed, what is counted, what is kept safe."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grading.scoring.report import Collector
from grading.scoring.types import Severity

SEVERITIES = [Severity.ERROR, Severity.WARNING, Severity.NOTE]


@given(
    st.lists(st.tuples(st.sampled_from(SEVERITIES), st.booleans()), max_size=300),
    st.integers(1, 20),
)
def test_the_first_problems_are_listed_errors_first(
    found: list[tuple[Severity, bool]], listed: int
) -> None:
    collector = Collector(listed)
    for line, (severity, whole) in enumerate(found, 1):
        collector.add("EMPTY_TEXT", severity, line=None if whole else line)
    report = collector.report(rows=0, reading="")
    assert report.total == len(found)
    assert report.errors == sum(severity is Severity.ERROR for severity, _ in found)
    wanted = sorted(
        (
            (SEVERITIES.index(severity), 0 if whole else line)
            for line, (severity, whole) in enumerate(found, 1)
        )
    )
    told = [(SEVERITIES.index(p.severity), p.line or 0) for p in report.problems]
    assert told == wanted[:listed]


def test_memory_stays_bounded() -> None:
    collector = Collector(100)
    for line in range(1, 50_001):
        collector.error("EMPTY_TEXT", line=line)
        collector.warning("EMPTY_TEXT")
    report = collector.report(rows=0, reading="")
    assert report.total == 100_000
    assert len(report.problems) == 100


def test_texts_are_made_safe_when_they_are_added() -> None:
    collector = Collector(10)
    collector.error(
        "INVALID_UTT_ID", utt_id="a\0\ud800", member="\u202e", ids=["\x1b"], x={"y": "\0"}
    )
    problem = collector.report(rows=0, reading="").problems[0]
    assert problem.utt_id == "a\\u0000\\ud800"
    assert problem.member == "\\u202e"
    assert problem.params == {"ids": ["\\u001b"], "x": {"y": "\\u0000"}}


def test_a_report_is_accepted_without_errors_only() -> None:
    collector = Collector(10)
    collector.warning("EMPTY_TEXT")
    collector.note("UTT_ID_TRIMMED")
    assert collector.report(rows=1, reading="jsonl").accepted
    collector.error("EMPTY_FILE")
    assert not collector.report(rows=1, reading="jsonl").accepted
