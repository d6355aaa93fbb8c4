"""Protocols: drafted for a selection, laid out, opened when the plan can complete, closed for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer
from grading.enums import ProtocolState, RatingForm, StimulusKind
from grading.models import (
    Clip,
    FinalSelection,
    FinalSystem,
    PlanRow,
    PlanSlot,
    QualityReport,
    RatedSystem,
    RatedText,
    Rater,
    RatingOpening,
    RatingProtocol,
    Stimulus,
)
from grading.models.rating import new_key
from grading.scoring.rating import plans
from grading.scoring.rating.forms import form_of
from grading.scoring.rating.settings import (
    ProtocolSettings,
    read_settings,
    settings_json,
    settings_sha256,
)
from grading.scoring.types import ParamsInvalid
from grading.services import speech_texts
from grading.services.ratings import errors, feasible, places, results, sessions, stimuli
from grading.services.ratings.feasible import Feasibility, feasibility
from grading.services.ratings.places import settings_of

__all__ = [
    "Feasibility",
    "change_settings",
    "close",
    "draft",
    "feasibility",
    "lay_out",
    "open_protocol",
    "settings_of",
]

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The texts of a protocol: language -> utt_id -> tagged text; and the clips that speak them."""

    texts: Mapping[str, Mapping[str, str]]
    waveforms: Mapping[tuple[int, str], int]
    """(submission, utt_id) -> waveform."""


def draft(
    *,
    actor: User | None,
    selection: FinalSelection,
    now: datetime,
    settings: Mapping[str, Any] | None = None,
    form: RatingForm = RatingForm.NVV,
    seed: str = "",
    compared_with: FinalSystem | None = None,
) -> RatingProtocol:
    """Make a protocol of a selection, with a pseudonym for each system that is rated.

    A selection has one of each form. `compared_with` is the system of the selection that a form of
    comparisons sets against every other; it is not rated itself. Refuses NotOrganizer,
    SettingsInvalid, ComparisonInvalid, ProtocolExists.
    """
    require_organizer(actor, selection.phase.track.competition)
    numbers = _read(settings or {})
    _check_comparison(selection, form, compared_with)
    chosen = seed or new_key()
    with audit.audited():
        if RatingProtocol.objects.filter(selection=selection, form=form).exists():
            raise _exists()
        try:
            protocol = RatingProtocol.objects.create(
                selection=selection,
                form=form,
                compared_with=compared_with,
                settings=settings_json(numbers),
                seed=chosen,
                created_at=now,
            )
        except IntegrityError as error:
            raise _exists() from error
        _name_systems(protocol)
        places.record(protocol, "rating.drafted", actor, now, form=str(form))
    return protocol


def change_settings(
    *, actor: User | None, protocol: RatingProtocol, settings: Mapping[str, Any], now: datetime
) -> RatingProtocol:
    """Give a draft other numbers. Refuses NotOrganizer, SettingsInvalid, ProtocolNotDraft."""
    require_organizer(actor, places.competition_of(protocol))
    numbers = _read(settings)
    with audit.audited():
        rows = RatingProtocol.objects.filter(pk=protocol.pk, state=ProtocolState.DRAFT)
        if not rows.update(settings=settings_json(numbers)):
            raise not_draft()
        places.record(
            protocol,
            "rating.settings_changed",
            actor,
            now,
            settings=settings_sha256(numbers, protocol.form),
        )
    protocol.refresh_from_db()
    return protocol


def lay_out(*, actor: User | None, protocol: RatingProtocol, now: datetime) -> Feasibility:
    """Choose the texts and make the sounds of a draft; those that stay keep what was prepared.

    Returns what the plan needs and what it lacks. Refuses NotOrganizer, ProtocolNotDraft,
    ReferencesMissing, ReferencesUnreachable.
    """
    require_organizer(actor, places.competition_of(protocol))
    chosen = _choose(protocol)
    with audit.audited():
        locked = places.lock_protocol(protocol)
        if locked.state != ProtocolState.DRAFT:
            raise not_draft()
        _keep_texts(locked, chosen.texts)
        _keep_stimuli(locked, chosen)
        places.record(
            locked,
            "rating.laid_out",
            actor,
            now,
            texts={language: len(texts) for language, texts in chosen.texts.items()},
        )
        stimuli.want(protocol=locked, now=now)
    return feasibility(protocol=protocol)


def open_protocol(*, actor: User | None, protocol: RatingProtocol, now: datetime) -> RatingOpening:
    """Freeze the numbers, draw the plans and let raters begin.

    Refuses NotOrganizer, ProtocolNotDraft, and NotFeasible with everything that is missing.
    """
    require_organizer(actor, places.competition_of(protocol))
    with audit.audited():
        locked = places.lock_protocol(protocol)
        if locked.state != ProtocolState.DRAFT:
            raise not_draft()
        found = feasible.feasibility(protocol=locked)
        if found.problems:
            raise errors.NotFeasible(
                " ".join(problem.message for problem in found.problems),
                problems=[problem.as_json() for problem in found.problems],
            )
        numbers = settings_of(locked)
        _plan(locked, numbers)
        opening = RatingOpening.objects.create(
            protocol=locked,
            settings=settings_json(numbers),
            settings_sha256=settings_sha256(numbers, locked.form),
            plan_sha256=plan_digest(locked),
            seed=locked.seed,
            actor=actor,
            opened_at=now,
        )
        RatingProtocol.objects.filter(pk=locked.pk).update(state=ProtocolState.OPEN, opened_at=now)
        places.record(
            locked,
            "rating.opened",
            actor,
            now,
            settings=opening.settings_sha256,
            plan=opening.plan_sha256,
            seed=locked.seed,
        )
    protocol.refresh_from_db()
    return opening


def close(*, actor: User | None, protocol: RatingProtocol, now: datetime) -> QualityReport:
    """End the rating for good and apply quality control, once, to everything that was answered.

    Refuses NotOrganizer, ProtocolNotOpen.
    """
    require_organizer(actor, places.competition_of(protocol))
    with audit.audited():
        locked = places.lock_protocol(protocol)
        places.require_open(locked)
        # Answers on their way hold the lock of their rater: what comes after it finds it closed.
        raters = Rater.objects.select_for_update(no_key=True).filter(protocol=locked).order_by("pk")
        for rater in raters:
            sessions.end_running(rater, now)
        RatingProtocol.objects.filter(pk=locked.pk).update(
            state=ProtocolState.CLOSED, closed_at=now
        )
        locked.state = ProtocolState.CLOSED
        found = results.inspected(locked)
        report = QualityReport.objects.create(
            protocol=locked, made_at=now, digest=found.digest, report=found.as_json()
        )
        places.record(locked, "rating.closed", actor, now, ratings=found.digest)
        places.note_change(locked, now)
    protocol.refresh_from_db()
    return report


def plan_digest(protocol: RatingProtocol) -> str:
    """Return the hash of what is rated by which plan: systems, texts, sounds and slots."""
    systems = protocol.systems.order_by("pseudonym")
    sounds = protocol.stimuli.order_by("key").values_list("key", "kind", "sha256", "text")
    slots = protocol.slots.filter(row__isnull=False).order_by("language", "row__number", "position")
    return audit.digest(
        _pairs(protocol)
        | {
            "systems": [list(row) for row in systems.values_list("pseudonym", "submission__code")],
            "sounds": [list(row) for row in sounds],
            "slots": [
                list(row)
                for row in slots.values_list("language", "row__number", "position", "stimulus__key")
            ],
        }
    )


def _pairs(protocol: RatingProtocol) -> dict[str, object]:
    """Return what is compared with what; nothing in a form of one sound, whose digest knows no pairs."""
    if protocol.compared_with is None:
        return {}
    pairs = protocol.stimuli.filter(compared_with__isnull=False).order_by("key")
    return {
        "compared_with": protocol.compared_with.submission.code,
        "pairs": [list(row) for row in pairs.values_list("key", "compared_with__key")],
    }


def not_draft() -> errors.ProtocolNotDraft:
    """Return the refusal that says that the protocol has opened."""
    return errors.ProtocolNotDraft(_("The rating has opened: its numbers are frozen."))


def _exists() -> errors.ProtocolExists:
    return errors.ProtocolExists(_("This selection has a rating of this form already."))


def _check_comparison(
    selection: FinalSelection, form: RatingForm, compared_with: FinalSystem | None
) -> None:
    """Refuse ComparisonInvalid unless a form of comparisons, and no other, names a system of these."""
    is_pair = form_of(form).is_pair
    if is_pair and (compared_with is None or compared_with.selection_id != selection.pk):
        raise errors.ComparisonInvalid(
            _("Name the system of this selection that all others are compared with."),
            field="compared_with",
        )
    if not is_pair and compared_with is not None:
        raise errors.ComparisonInvalid(
            _("This form compares no systems: name none."), field="compared_with"
        )


def _read(raw: Mapping[str, Any]) -> ProtocolSettings:
    try:
        return read_settings(raw)
    except ParamsInvalid as error:
        raise errors.SettingsInvalid(
            "; ".join(f"{fault.path} {fault.message}" for fault in error.faults),
            faults=[{"setting": fault.path, "message": fault.message} for fault in error.faults],
        ) from None


def _name_systems(protocol: RatingProtocol) -> None:
    rated = (row for row in protocol.selection.systems.all() if row.pk != protocol.compared_with_id)
    rows = {str(row.submission_id): row for row in rated}
    order = plans.shuffled(rows, protocol.seed, "pseudonyms")
    RatedSystem.objects.bulk_create(
        RatedSystem(
            protocol=protocol,
            submission_id=rows[key].submission_id,
            reason=rows[key].reason,
            pseudonym=f"S{number:02d}",
        )
        for number, key in enumerate(order, 1)
    )


def _choose(protocol: RatingProtocol) -> _Chosen:
    """Return the texts by hash, as evenly over the labels as they go; read outside any transaction."""
    references = speech_texts.of_recipe(protocol.selection.recipe)
    count = settings_of(protocol).texts
    by_language: dict[str, dict[str, tuple[str, ...]]] = {}
    for utt_id, text in references.text_of.items():
        language = references.language_of[utt_id]
        by_language.setdefault(language, {})[utt_id] = feasible.labels_of(text)
    texts = {
        language: {
            utt_id: references.text_of[utt_id]
            for utt_id in plans.choose_texts(
                labels, count=count, seed=f"{protocol.seed}:{language}"
            )
        }
        for language, labels in sorted(by_language.items())
    }
    wanted = [utt_id for chosen in texts.values() for utt_id in chosen]
    heard = Q(submission__in=protocol.systems.values("submission"))
    if protocol.compared_with is not None:
        heard |= Q(submission=protocol.compared_with.submission_id)
    clips = Clip.objects.filter(heard, utt_id__in=wanted)
    rows = clips.values_list("submission_id", "utt_id", "waveform_id")
    return _Chosen(texts, {(submission, utt): waveform for submission, utt, waveform in rows})


def _keep_texts(protocol: RatingProtocol, texts: Mapping[str, Mapping[str, str]]) -> None:
    wanted = {
        (language, utt_id): text
        for language, chosen in texts.items()
        for utt_id, text in chosen.items()
    }
    for row in protocol.texts.all():
        if wanted.get((row.language, row.utt_id)) == row.text:
            del wanted[row.language, row.utt_id]
        else:
            row.delete()
    RatedText.objects.bulk_create(
        (
            RatedText(protocol=protocol, language=language, utt_id=utt_id, text=text)
            for (language, utt_id), text in sorted(wanted.items())
        ),
        batch_size=AT_ONCE,
    )


def _keep_stimuli(protocol: RatingProtocol, chosen: _Chosen) -> None:
    systems = list(protocol.systems.all())
    texts = list(protocol.texts.all())
    others = _keep_compared(protocol, texts, chosen)
    scored = protocol.stimuli.filter(kind=StimulusKind.SCORED)
    have = {(row.system_id, row.rated_text_id): row for row in scored}
    made = []
    for system in systems:
        for text in texts:
            waveform = chosen.waveforms.get((system.submission_id, text.utt_id))
            old = have.get((system.pk, text.pk))
            if old is not None and old.waveform_id != waveform:
                old.delete()
                old = None
            is_whole = text.pk in others or not protocol.declared.is_pair
            if old is None and waveform is not None and is_whole:
                made.append(
                    Stimulus(
                        protocol=protocol,
                        kind=StimulusKind.SCORED,
                        language=text.language,
                        name=text.utt_id,
                        text=text.text,
                        system=system,
                        rated_text=text,
                        compared_with=others.get(text.pk),
                        waveform_id=waveform,
                    )
                )
    Stimulus.objects.bulk_create(made, batch_size=AT_ONCE)


def _keep_compared(
    protocol: RatingProtocol, texts: Sequence[RatedText], chosen: _Chosen
) -> dict[int, Stimulus]:
    """Return by text the sound that systems are compared with, made where it is not there; else nothing.

    One whose clip is another now goes, and every pair with it.
    """
    if protocol.compared_with is None:
        return {}
    submission = protocol.compared_with.submission_id
    have = {one.rated_text_id: one for one in protocol.stimuli.filter(kind=StimulusKind.COMPARED)}
    found = {}
    for text in texts:
        waveform = chosen.waveforms.get((submission, text.utt_id))
        old = have.get(text.pk)
        if old is not None and old.waveform_id != waveform:
            old.delete()
            old = None
        if old is None and waveform is not None:
            old = Stimulus.objects.create(
                protocol=protocol,
                kind=StimulusKind.COMPARED,
                language=text.language,
                name=text.utt_id,
                text=text.text,
                rated_text=text,
                waveform_id=waveform,
            )
        if old is not None:
            found[text.pk] = old
    return found


def _plan(protocol: RatingProtocol, numbers: ProtocolSettings) -> None:
    """Draw the rows of every language and make their slots."""
    for language in feasible.languages_of(protocol):
        sounds = {
            (row.system_id, row.rated_text_id): row
            for row in protocol.stimuli.filter(kind=StimulusKind.SCORED, language=language)
        }
        systems = sorted({str(system) for system, _ in sounds})
        texts = sorted({str(text) for _, text in sounds})
        drawn = plans.plan_rows(
            systems, texts, copies=numbers.wanted, seed=f"{protocol.seed}:{language}"
        )
        rows = PlanRow.objects.bulk_create(
            PlanRow(protocol=protocol, language=language, number=number)
            for number in range(1, len(drawn) + 1)
        )
        PlanSlot.objects.bulk_create(_slots(protocol, rows, drawn, sounds), batch_size=AT_ONCE)


def _slots(
    protocol: RatingProtocol,
    rows: Sequence[PlanRow],
    drawn: Sequence[Sequence[plans.Slot]],
    sounds: Mapping[tuple[int | None, int | None], Stimulus],
) -> list[PlanSlot]:
    made = []
    for row, slots in zip(rows, drawn, strict=True):
        for slot in slots:
            system, text = int(slot.system), int(slot.text)
            made.append(
                PlanSlot(
                    protocol=protocol,
                    language=row.language,
                    row=row,
                    position=slot.position,
                    stimulus=sounds[system, text],
                    system_id=system,
                    rated_text_id=text,
                )
            )
    return made


def slots_left(protocol: RatingProtocol) -> dict[str, int]:
    """Return how many slots of each language are not done."""
    rows = protocol.slots.filter(done_at__isnull=True, rated_text__dropped_at__isnull=True)
    counts = rows.order_by().values_list("language").annotate(count=Count("pk"))
    return dict(counts)
