"""Held-out sets: references for clips that no phase asks for, kept where references are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from accounts.services.names import accepted_line
from competition.enums import Pool
from competition.models import DatasetClip, DatasetVersion, Track
from competition.services import references as hidden
from competition.services.authority import require_organizer
from grading import rules
from grading.models import HeldOutClip, HeldOutSet
from grading.scoring import registry
from grading.scoring.tracks.base import References
from grading.scoring.types import Problem, ReferencesInvalid
from grading.services.loading import told
from grading.services.verification.errors import HeldOutInvalid

TITLE_LIMIT = 120
BATCH = 2000
NAMED = 5


def make(
    *,
    actor: User | None,
    track: Track,
    version: DatasetVersion,
    title: str,
    data: bytes,
    now: datetime,
) -> HeldOutSet:
    """Keep the references of held-out clips of a dataset; the same ones again give the set that there is.

    Each row names a clip of the version that is held out now, in its language. Refuses NotOrganizer,
    NameInvalid, and HeldOutInvalid with every fault, none of which repeats a text. Raises OSError.
    """
    require_organizer(actor, track.competition)
    name = accepted_line(title, limit=TITLE_LIMIT, field="title") or str(version)
    _require_fit(track, version)
    found = _read(track, data)
    clips = {clip.utt_id: clip for clip in version.clips.filter(audio__pool=Pool.HELD_OUT)}
    _require_held_out(found.language_of, clips)
    key, sha256 = hidden.store_bytes(data)
    with audit.audited():
        Track.objects.select_for_update().get(pk=track.pk)
        same = HeldOutSet.objects.filter(track=track, version=version, sha256=sha256)
        known: HeldOutSet | None = same.first()
        if known is not None:
            return known
        made: HeldOutSet = HeldOutSet.objects.create(
            track=track,
            version=version,
            title=name,
            sha256=sha256,
            storage_key=key,
            size=len(data),
            counts=dict(found.counts),
            identity=found.sha256,
            made_by=actor,
            made_at=now,
        )
        _add_clips(made, [clips[utt_id] for utt_id in found.ids])
        _record(actor, made, len(found.ids), now)
    return made


def read_bytes(held_out: HeldOutSet) -> bytes:
    """Return the references' bytes. Raises ReferencesMissing, OSError."""
    return hidden.read_key(held_out.storage_key, held_out.sha256)


def problems_of(refusal: HeldOutInvalid) -> tuple[Sequence[Problem], int]:
    """Return what is wrong with the rows, and how many problems there are, listed or not.

    For the person who gave the file alone: problems may repeat what a row says, so they stay with the
    error of the reading and off the refusal, which may be told and logged anywhere.
    """
    cause = refusal.__cause__
    if not isinstance(cause, ReferencesInvalid):
        return (), 0
    return cause.report.problems, cause.report.total


def manifest(held_out: HeldOutSet) -> dict[str, str | None]:
    """Return the set's ids with their languages; no text. For the scorer and organizers alone."""
    return dict(held_out.clips.values_list("clip__utt_id", "clip__language"))


def _require_fit(track: Track, version: DatasetVersion) -> None:
    if version.dataset.competition_id != track.competition_id:
        raise HeldOutInvalid(_("The dataset belongs to another competition."), field="version")
    if rules.scores_by_marks(track):
        raise HeldOutInvalid(
            _(
                "The scores of this track are made of marks that listeners give; "
                "only tracks that are scored against references have held-out sets."
            ),
            field="track",
        )


def _read(track: Track, data: bytes) -> References:
    scorer = registry.get(track.kind)
    try:
        return scorer.references(data, scorer.params(track.params))
    except ReferencesInvalid as error:
        raise HeldOutInvalid(
            _("These references cannot be read; nothing was kept."),
            field="file",
            faults=tuple(told(_("the file"), error)),
        ) from error


def _require_held_out(language_of: Mapping[str, str], clips: Mapping[str, DatasetClip]) -> None:
    strange = sorted(utt_id for utt_id in language_of if utt_id not in clips)
    if strange:
        raise HeldOutInvalid(
            _("%(count)s rows name clips that are not held out in this dataset: %(ids)s.")
            % {"count": len(strange), "ids": _listed(strange)},
            field="file",
        )
    other = sum(clips[utt_id].language != spoken for utt_id, spoken in language_of.items())
    if other:
        raise HeldOutInvalid(
            _("%(count)s rows name another language than the dataset.") % {"count": other},
            field="file",
        )


def _listed(utt_ids: Sequence[str]) -> str:
    """Return the first few ids: of clips that are not held out, so that they are no secret."""
    rest = ", …" if len(utt_ids) > NAMED else ""
    return ", ".join(utt_ids[:NAMED]) + rest


def _add_clips(made: HeldOutSet, clips: list[DatasetClip]) -> None:
    try:
        with transaction.atomic():
            HeldOutClip.objects.bulk_create(
                (HeldOutClip(held_out=made, clip=clip) for clip in clips), batch_size=BATCH
            )
    except IntegrityError as error:
        raise HeldOutInvalid(
            _("A clip was moved out of the held-out pool in this moment."), field="file"
        ) from error


def _record(actor: User | None, made: HeldOutSet, count: int, now: datetime) -> None:
    audit.record(
        scope=made.track.competition.audit_scope,
        kind="held-out.loaded",
        actor=actor,
        target=f"held-out:{made.code}",
        payload={
            "sha256": made.sha256,
            "clips": count,
            "dataset": made.version.sha256,
            # The ids themselves stay out of a log that auditors and exports show.
            "list": hashlib.sha256("\n".join(sorted(manifest(made))).encode()).hexdigest(),
        },
        now=now,
    )
