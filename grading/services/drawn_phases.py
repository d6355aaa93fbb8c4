"""Phases whose clips a window draws: promised before they open, and restricted to the draw once it is made.

The references of such a phase are those of the whole pool until the draw; from then on a version that
holds the drawn rows alone. Intake, manifest, scoring and the recipe's digest follow from it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.services import audit
from competition.enums import ClipSource
from competition.models import DatasetClip, Draw, Phase, PhaseDraw, Track
from competition.queries import has_draw
from competition.services import references as hidden
from competition.services.errors import WindowRefused
from competition.services.references import StoredReferences
from grading.models import FileSet, Submission, UploadSession
from grading.scoring import registry
from grading.scoring.draws import Drawn
from grading.scoring.types import ReferencesInvalid
from grading.services import recipes


def promise(
    *, phase: Phase, clips: Sequence[DatasetClip], shares: Drawn, asked: bool, now: datetime
) -> None:
    """Bind a phase to a window over these clips, in the transaction that commits to the window.

    A phase that lists its clips and was not `asked` to take drawn ones only names the window.
    `shares` is a draw of the window's size by any key. Refuses WindowRefused once the phase has clips
    or opened, where a window is committed to, where its references lack a clip of the pool, and where
    a language of the pool could be left out. The caller holds the competition.
    """
    locked = Phase.objects.select_for_update().get(pk=phase.pk)
    if locked.clips != ClipSource.DRAWN and not asked:
        return
    if has_draw(locked) or locked.windows.exists():
        raise WindowRefused(
            _("A window is committed to for this phase already; there is no second draw."),
            field="phase",
        )
    if locked.clips != ClipSource.DRAWN:
        _require_unopened(locked, now)
        locked.clips = ClipSource.DRAWN
        locked.save(update_fields=["clips"])
    _require_references(locked, clips)
    _require_languages({clip.language for clip in clips}, shares)


def take(*, draw: Draw, now: datetime) -> PhaseDraw | None:
    """Give a phase the clips of its window's own draw; again changes nothing. None where no phase waits.

    Refuses WindowRefused when the references lack a drawn clip, or were changed in this moment.
    Raises ReferencesMissing, OSError.
    """
    phase = draw.window.phase
    if phase is None or draw.run or phase.clips != ClipSource.DRAWN:
        return None
    known = PhaseDraw.objects.filter(phase=phase).first()
    if known is not None:
        return known
    phase = Phase.objects.select_related("track__competition", "references").get(pk=phase.pk)
    utt_ids = set(draw.clips.values_list("clip__utt_id", flat=True))
    given = _restricted(phase, utt_ids)
    with audit.audited():
        Track.objects.select_for_update().get(pk=phase.track_id)
        known = PhaseDraw.objects.filter(phase=phase).first()
        if known is not None:
            return known
        taken = _bind(phase, draw, given, now)
        audit.record(
            scope=phase.track.competition.audit_scope,
            kind="phase.drawn",
            actor=None,
            target=f"phase:{phase.code}",
            payload={"draw": draw.code, "list": draw.sha256, "references": given.sha256},
            now=now,
        )
    recipes.ensure_live(
        phase=Phase.objects.select_related("track__competition", "references").get(pk=phase.pk),
        now=now,
    )
    return taken


def restricted(data: bytes, utt_ids: Collection[str]) -> bytes:
    """Return the rows of references (JSON Lines) with these ids, byte for byte as they were."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=False)
    kept = [line for line in lines if line.strip() and json.loads(line).get("utt_id") in utt_ids]
    return b"".join(line + b"\n" for line in kept)


def _restricted(phase: Phase, utt_ids: Collection[str]) -> StoredReferences:
    data = restricted(hidden.read_bytes(phase.references), utt_ids)
    track = registry.get(phase.track.kind)
    if not data:
        raise _lacking(len(utt_ids))
    try:
        found = track.references(data, track.params(phase.track.params))
    except ReferencesInvalid as error:
        codes = sorted({problem.code for problem in error.report.problems})
        raise WindowRefused(
            _(
                "The drawn clips alone cannot be scored in this track (%(codes)s), so the phase stays "
                "closed. Another phase with its own window is needed."
            )
            % {"codes": ", ".join(codes)}
        ) from error
    missing = set(utt_ids) - set(found.ids)
    if missing:
        raise _lacking(len(missing))
    key, sha256 = hidden.store_bytes(data)
    return StoredReferences(
        storage_key=key,
        sha256=sha256,
        size=len(data),
        counts=dict(found.counts),
        languages=dict(found.language_of),
    )


def _bind(phase: Phase, draw: Draw, given: StoredReferences, now: datetime) -> PhaseDraw:
    """Write what the phase has now; the caller holds the track."""
    version = hidden.keep_version(track=phase.track, name=phase.slug, given=given, now=now)
    moved = Phase.objects.filter(pk=phase.pk, references=phase.references_id).update(
        references=version
    )
    if not moved:
        raise WindowRefused(
            _("The references of the phase were changed in this moment. Draw once more.")
        )
    return PhaseDraw.objects.create(
        phase=phase, draw=draw, whole=phase.references, references=version, at=now
    )


def _require_unopened(phase: Phase, now: datetime) -> None:
    begun = (Submission, UploadSession, FileSet)
    if now >= phase.opens_at or any(one.objects.filter(phase=phase).exists() for one in begun):
        raise WindowRefused(
            _("This phase has opened with the clips that it lists; it cannot take others."),
            field="phase",
        )


def _require_languages(languages: Collection[str], shares: Drawn) -> None:
    """Raise WindowRefused unless every draw of these shares holds each language of the pool."""
    if len(languages) < 2:  # noqa: PLR2004  nothing can be left out
        return
    if "language" not in shares.strata:
        raise WindowRefused(
            _(
                "The pool has several languages: draw by language and tier, so that none is left out."
            ),
            field="strata",
        )
    place = shares.strata.index("language")
    drawn = {share.stratum[place] for share in shares.shares if share.count}
    if drawn != set(languages):
        raise WindowRefused(
            _("With so few clips a language of the pool would be left out."), field="n"
        )


def _require_references(phase: Phase, clips: Sequence[DatasetClip]) -> None:
    known = set(phase.references.utterances.values_list("utt_id", flat=True))
    missing = sum(clip.utt_id not in known for clip in clips)
    if missing:
        raise _lacking(missing)


def _lacking(count: int) -> WindowRefused:
    return WindowRefused(
        _("The references of the phase lack %(count)s clips of the pool.") % {"count": count},
        field="phase",
    )
