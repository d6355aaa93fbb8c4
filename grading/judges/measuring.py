"""Commands for organizers: have answers marked, have clips transcribed, and write both into rows.

`python -m grading.judges.measuring mark …` and `… transcribe …`. The key of the endpoint is taken from
JUDGE_API_KEY. Answers are kept in a file as they come; a command that stopped asks only for the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grading.enums import JudgeFailure
from grading.judges.answer_file import AnswerFile, AnswersDamaged, Asking, Json, key_of
from grading.judges.base import FORMATS, CallFailed
from grading.judges.caller import Caller
from grading.judges.text_judge import TextJudge, TextQuestion
from grading.judges.transcription import Transcriber
from grading.scoring.messages import render
from grading.scoring.tracks import llm, llm_judge_prompt, tts
from grading.scoring.tracks.declared import Declared
from grading.scoring.tracks.nvv_t2_judge_reader import address_fault
from grading.scoring.tracks.pillars_reading import Scale
from grading.scoring.types import ParamsInvalid, ReferencesInvalid, Report

DONE, UNDONE, USAGE = 0, 1, 2
_SHOWN = 10


class CannotMeasure(Exception):
    """A command cannot be done as it was asked; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one command; return 0 when every row is written, 1 when answers are missing, 2 for bad input."""
    given = _parser().parse_args(arguments)
    try:
        questions, finish = given.prepare(given)
        asking = Asking(
            AnswerFile(given.answers), workers=given.concurrency, first_pause=given.first_pause
        )
        missing = asking.ask(questions)
        if missing:
            why = ", ".join(f"{failure} {count}" for failure, count in asking.failures.items())
            _say(f"{missing} of {len(questions)} answers are missing ({why or 'stopped'})")
            return UNDONE
        _write(given.out, finish(asking.answers))
    except (CannotMeasure, AnswersDamaged, ParamsInvalid) as error:
        _say(str(error))
        return USAGE
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}")
        return USAGE
    _say(f"{given.out}: {len(questions)} answers, {asking.failures.total()} failures")
    return DONE


Prepared = tuple[Mapping[str, Callable[[], Json]], Callable[[AnswerFile], list[Json]]]


def prepare_marks(given: argparse.Namespace) -> Prepared:
    """Return the questions about answers, and what makes rows with marks of what was said."""
    params, references, rows = _read(llm.TRACK, given)
    scale = params.scale
    if scale is None or not params.marks_in_rows:
        raise CannotMeasure("the settings must have a scale and marks_in_rows: true")
    judge = TextJudge(
        _caller(given),
        model=given.model,
        temperature=given.temperature,
        max_tokens=given.max_tokens,
    )
    ask = _Marker(judge, scale)
    questions: dict[str, Callable[[], Json]] = {}
    keys: dict[str, list[str]] = {}
    for row in rows:
        text = llm_judge_prompt.question(references.values[row["utt_id"]], row["answer"])
        for number in range(params.replicates):
            seed = given.seed + number
            settings = [given.base_url, given.model, given.temperature, given.max_tokens]
            told = [llm_judge_prompt.prompt_sha256(scale), text, number, seed]
            key = key_of(["mark", *settings, *told])
            questions[key] = ask.about(text, seed)
            keys.setdefault(row["utt_id"], []).append(key)

    def finish(answers: AnswerFile) -> list[Json]:
        marks = {
            utt_id: [_number(llm_judge_prompt.read_mark(answers[k]["text"], scale)) for k in asked]
            for utt_id, asked in keys.items()
        }
        return [{**row, "marks": marks[row["utt_id"]]} for row in rows]

    return questions, finish


class _Marker:
    """Asks a judge in the strictest form that its endpoint takes."""

    def __init__(self, judge: TextJudge, scale: Scale) -> None:
        self._judge = judge
        self._scale = scale
        self._formats = list(FORMATS)

    def about(self, text: str, seed: int) -> Callable[[], Json]:
        """Return what asks one question."""
        return lambda: self._ask(text, seed)

    def _ask(self, text: str, seed: int) -> Json:
        form = self._formats[0]
        question = TextQuestion(
            instructions=llm_judge_prompt.instructions(self._scale),
            text=text,
            schema=llm_judge_prompt.answer_schema(self._scale),
            seed=seed,
            answer_format=form,
        )
        try:
            reply = self._judge.ask(question)
            llm_judge_prompt.read_mark(reply.text, self._scale)
        except llm_judge_prompt.MarkInvalid:
            raise CallFailed(JudgeFailure.MALFORMED) from None
        except CallFailed as error:
            if error.failure == JudgeFailure.REJECTED and form != FORMATS[-1]:
                # Other threads may have met the same refusal.
                self._formats = list(FORMATS[FORMATS.index(form) + 1 :])
                return self._ask(text, seed)
            raise
        usage = {
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
        }
        told = {"model": reply.model, "fingerprint": reply.fingerprint, "answer_format": form}
        return {"text": reply.text, **told, **usage}


def prepare_transcripts(given: argparse.Namespace) -> Prepared:
    """Return the questions about clips, and what makes rows with transcripts of what was heard."""
    _, _, rows = _read(tts.TRACK, given)
    transcriber = Transcriber(
        _caller(given), model=given.model, language=given.language, prompt=given.prompt
    )
    questions: dict[str, Callable[[], Json]] = {}
    keys: dict[str, str] = {}
    for row in rows:
        if row["failed"]:
            continue
        path = given.sounds / f"{row['utt_id']}.wav"
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        told = [given.base_url, given.model, given.language, given.prompt, digest]
        key = key_of(["transcript", *told])
        keys[row["utt_id"]] = key
        questions[key] = _hearing(transcriber, path, digest)

    def finish(answers: AnswerFile) -> list[Json]:
        return [
            {**row, "transcript": answers[keys[row["utt_id"]]]["text"]}
            if row["utt_id"] in keys
            else row
            for row in rows
        ]

    return questions, finish


def _hearing(transcriber: Transcriber, path: Path, digest: str) -> Callable[[], Json]:
    def ask() -> Json:
        audio = path.read_bytes()
        if hashlib.sha256(audio).hexdigest() != digest:
            raise CallFailed(JudgeFailure.STORAGE, was_sent=False)
        return {"text": transcriber.transcribe(audio), "audio_sha256": digest}

    return ask


def _read(track: Declared, given: argparse.Namespace) -> tuple[Any, Any, list[Json]]:
    """Return settings, references and the rows of a submission that the track accepts.

    Raises CannotMeasure with what is wrong.
    """
    of_track: Any = track
    fault = address_fault(given.base_url)
    if fault:
        raise CannotMeasure(f"--base-url {fault}")
    params = of_track.params(_settings(given.params))
    try:
        references = of_track.references(given.reference.read_bytes(), params)
    except ReferencesInvalid as error:
        raise CannotMeasure(_told(given.reference, error.report)) from error
    data = given.submission.read_bytes()
    checked = of_track.check_against(
        data, references=references, params=params, limits=of_track.limits({})
    )
    if not checked.report.accepted:
        raise CannotMeasure(_told(given.submission, checked.report))
    if checked.report.reading != "jsonl":
        raise CannotMeasure(f"{given.submission}: rows must be JSON Lines, one on each line")
    rows = [json.loads(line) for line in data.splitlines() if line.strip()]
    named = [{**row, "utt_id": row["utt_id"].strip()} for row in rows]
    return params, references, [row for row in named if row["utt_id"] in references.language_of]


def _settings(path: Path) -> Json:
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise CannotMeasure(f"{path}: must be a JSON object of the track's settings")
    return found


def _told(path: Path, report: Report) -> str:
    return "\n".join([f"{path}: not accepted", *map(render, report.problems[:_SHOWN])])


def _caller(given: argparse.Namespace) -> Caller:
    return Caller(
        base_url=given.base_url,
        api_key=os.environ.get("JUDGE_API_KEY", ""),
        timeout_seconds=given.timeout,
        connections=given.concurrency,
    )


def _number(mark: Any) -> float | int:
    return int(mark) if mark.denominator == 1 else float(mark)


def _write(path: Path, rows: Sequence[Json]) -> None:
    """Write rows as JSON Lines; the file is there whole or not at all."""
    beside = path.with_name(path.name + ".part")
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    beside.write_text("".join(lines), encoding="utf-8")
    beside.replace(path)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grading.judges.measuring", description=__doc__)
    commands = parser.add_subparsers(required=True)
    mark = _command(commands, "mark", prepare_marks, "have a judge mark the answers of track llm")
    mark.add_argument("--temperature", type=float, default=0.0)
    mark.add_argument("--max-tokens", type=int, default=1024)
    mark.add_argument("--seed", type=int, default=1, help="seed of the first replicate")
    hear = _command(
        commands, "transcribe", prepare_transcripts, "have a recognizer hear the clips of track tts"
    )
    hear.add_argument("--sounds", type=Path, required=True, help="a folder with <utt_id>.wav files")
    hear.add_argument("--language", default="", help="what is spoken, where the endpoint wants it")
    hear.add_argument("--prompt", default="", help="what the recognizer is given to expect")
    return parser


def _command(
    commands: Any, name: str, prepare: Callable[[argparse.Namespace], Prepared], about: str
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=about)
    for option, what in (
        ("--params", "the track's settings, JSON"),
        ("--reference", "the references, JSON Lines"),
        ("--submission", "the rows as they are, JSON Lines"),
        ("--out", "where the rows with what was found are written"),
        ("--answers", "the file that keeps every answer; it may be there already"),
    ):
        command.add_argument(option, type=Path, required=True, help=what)
    command.add_argument("--base-url", required=True, help="https://host/v1")
    command.add_argument("--model", required=True, help="what the endpoint calls it")
    command.add_argument("--timeout", type=float, default=120.0, help="seconds for one answer")
    command.add_argument("--concurrency", type=int, default=4, help="calls at a time")
    command.add_argument(
        "--first-pause", type=float, default=1.0, help="seconds before a second try; it doubles"
    )
    command.set_defaults(prepare=prepare)
    return command


if __name__ == "__main__":
    sys.exit(main())
