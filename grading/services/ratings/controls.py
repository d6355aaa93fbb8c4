"""Traps, known answers and practice items: organizers' own recordings with the marks to expect."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import audit
from competition.services.authority import require_organizer
from grading import storage
from grading.enums import ProtocolState, StimulusKind
from grading.models import RatingProtocol, Stimulus, Waveform
from grading.scoring.audio.limits import ClipBounds
from grading.scoring.audio.riff import examine
from grading.scoring.formats.sources import ByteStream
from grading.scoring.formats.strict_json import strings_of
from grading.scoring.rating.answers import read_marks
from grading.scoring.types import Severity
from grading.services.keeping.archives import DAMAGE
from grading.services.ratings import errors, feasible, marks, places, stimuli

NAME_LIMIT = 100
TEXT_LIMIT = 2000
SOUND_LIMIT = 4 << 20
ENTRIES_LIMIT = 200
WHOLE_LIMIT = 64 << 20
UNREADABLE = (*DAMAGE, UnicodeDecodeError)
"""What a zip raises that is damaged, locked, or packed in a way that is not known."""
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
LIST_NAME = "items.jsonl"
KINDS = (StimulusKind.TRAP, StimulusKind.KNOWN, StimulusKind.PRACTICE)


@dataclass(frozen=True, slots=True)
class Item:
    """One control item as organizers give it; `expected` are marks by letter.

    `explanation` maps language -> why these marks, shown after practice. Where sounds are compared,
    `other` is the one that `sound` is compared with, and the marks say how `sound` compares.
    """

    kind: str
    language: str
    name: str
    text: str
    sound: bytes
    expected: Mapping[str, object]
    explanation: Mapping[str, str] = field(default_factory=dict)
    other: bytes = b""


def read_archive(data: bytes) -> list[Item]:
    """Return the items of a zip: `items.jsonl`, a line an item, and the recordings that it names.

    A line has kind, language, name, text, file, marks (by letter), for practice explanation (by
    language), and in a form of comparisons other, the second file. Refuses ControlInvalid with every fault.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > ENTRIES_LIMIT:
                raise _unreadable(
                    _("there are more than %(limit)s files") % {"limit": ENTRIES_LIMIT}
                )
            files = _files(archive, members)
    except UNREADABLE as error:
        raise _unreadable(_("the file is no zip that can be read")) from error
    if LIST_NAME not in files:
        raise _unreadable(_("there is no %(name)s in it") % {"name": LIST_NAME})
    lines = files[LIST_NAME].decode("utf-8-sig", "replace").splitlines()
    items, faults = [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _item(line, files)
        if isinstance(found, str):
            faults.append(f"{LIST_NAME}:{number}: {found}")
        else:
            items.append(found)
    if faults or not items:
        faults = faults or [_("there is no item in it")]
        raise errors.ControlInvalid(" ".join(faults[:20]), faults=faults)
    return items


def _unreadable(why: str) -> errors.ControlInvalid:
    return errors.ControlInvalid(why, faults=[why], field="archive")


def _files(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Return the members' bytes by name, together never more than a file that is sent may have."""
    found: dict[str, bytes] = {}
    left = WHOLE_LIMIT
    for member in members:
        found[member.filename] = _member(archive, member)
        left -= len(found[member.filename])
        if left < 0:
            raise _unreadable(_("The file is larger than 64 MiB."))
    return found


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member, never more than a recording may have."""
    with archive.open(member) as stream:
        found = stream.read(SOUND_LIMIT + 1)
    if len(found) > SOUND_LIMIT:
        raise _unreadable(
            _("a file in it is larger than %(limit)s MiB") % {"limit": SOUND_LIMIT >> 20}
        )
    return found


def _item(line: str, files: Mapping[str, bytes]) -> Item | str:
    """Return the item of a line, or what is wrong with it."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return _("the line is no JSON")
    if any(UNSTORABLE.search(text) for text in strings_of(raw)):
        return _("the line is no JSON")
    texts = ("kind", "language", "name", "text", "file")
    if not isinstance(raw, dict) or not all(isinstance(raw.get(name), str) for name in texts):
        return _("the line needs the texts %(names)s") % {"names": ", ".join(texts)}
    marks_given, told = raw.get("marks"), raw.get("explanation", {})
    if not isinstance(marks_given, dict) or not isinstance(told, dict):
        return _("marks and explanation are objects")
    sounds = [raw["file"], *([raw["other"]] if raw.get("other") else [])]
    missing = [str(name) for name in sounds if not isinstance(name, str) or name not in files]
    if missing:
        return _("the file %(name)s is not in the zip") % {"name": missing[0][:80]}
    explanation = {key: text for key, text in told.items() if isinstance(text, str)}
    named = {name: raw[name] for name in texts[:4]}
    return Item(
        **named,
        sound=files[sounds[0]],
        expected=marks_given,
        explanation=explanation,
        other=b"".join(files[name] for name in sounds[1:]),
    )


def add(
    *, actor: User | None, protocol: RatingProtocol, items: Sequence[Item], now: datetime
) -> list[Stimulus]:
    """Add control items to a draft; one of the same kind, language and name is replaced.

    Refuses NotOrganizer, ProtocolNotDraft, and ControlInvalid with every fault of every item.
    """
    require_organizer(actor, places.competition_of(protocol))
    faults = [fault for item in items for fault in _faults(protocol, item)]
    if faults:
        raise errors.ControlInvalid(" ".join(faults[:20]), faults=faults)
    sounds = [
        tuple(_stored(sound, now) for sound in (item.sound, item.other) if sound) for item in items
    ]
    with audit.audited():
        locked = places.lock_protocol(protocol)
        if locked.state != ProtocolState.DRAFT:
            raise errors.ProtocolNotDraft(_("The rating has opened: its items are fixed."))
        made = [_keep(locked, item, stored) for item, stored in zip(items, sounds, strict=True)]
        places.record(locked, "rating.controls_added", actor, now, items=len(made))
        stimuli.want(protocol=locked, now=now)
    return made


def remove(*, actor: User | None, stimulus: Stimulus, now: datetime) -> None:
    """Take a control item out of a draft. Refuses NotOrganizer, ProtocolNotDraft, TaskUnknown."""
    require_organizer(actor, places.competition_of(stimulus.protocol))
    if stimulus.kind not in KINDS:
        raise errors.TaskUnknown(_("This is no control item."))
    with audit.audited():
        locked = places.lock_protocol(stimulus.protocol)
        if locked.state != ProtocolState.DRAFT:
            raise errors.ProtocolNotDraft(_("The rating has opened: its items are fixed."))
        _drop(Stimulus.objects.filter(pk=stimulus.pk))
        places.record(locked, "rating.control_removed", actor, now, item=stimulus.kind)


def _faults(protocol: RatingProtocol, item: Item) -> list[str]:
    found = []
    if item.kind not in KINDS:
        found.append(_("the kind is trap, known or practice"))
    languages = feasible.languages_of(protocol)
    if languages and item.language not in languages:
        found.append(_("the language is one of: %(names)s") % {"names": ", ".join(languages)})
    if not item.name.strip() or len(item.name) > NAME_LIMIT:
        found.append(_("a name of at most %(limit)s characters is needed") % {"limit": NAME_LIMIT})
    if not item.text.strip() or len(item.text) > TEXT_LIMIT:
        found.append(_("a text of at most %(limit)s characters is needed") % {"limit": TEXT_LIMIT})
    read = read_marks(protocol.form, item.expected)
    found += [marks.sentence(fault) for fault in read.faults]
    found += _of_sound(item.sound)
    if protocol.declared.is_pair:
        found += _of_sound(item.other)
    elif item.other:
        found.append(_("this form has one recording to an item: leave out other"))
    shown = item.name.strip()[:NAME_LIMIT] or "?"
    return [f"{shown}: {fault}" for fault in found]


def _of_sound(sound: bytes) -> list[str]:
    if len(sound) > SOUND_LIMIT:
        return [_("the recording is larger than %(limit)s MiB") % {"limit": SOUND_LIMIT >> 20}]
    clip = examine(ByteStream(iter([sound])), len(sound), ClipBounds())
    if not clip.is_accepted:
        errors_found = [one for one in clip.findings if one.severity == Severity.ERROR]
        codes = sorted({one.code for one in errors_found})
        return [_("the recording is not accepted: %(codes)s") % {"codes": ", ".join(codes)}]
    return []


def _stored(sound: bytes, now: datetime) -> Waveform:
    """Return the row of a recording, its bytes stored before; outside any transaction."""
    sha256 = hashlib.sha256(sound).hexdigest()
    known = Waveform.objects.filter(sha256=sha256).first()
    if known is not None and storage.is_stored(known.storage_key):
        return known
    clip = examine(ByteStream(iter([sound])), len(sound), ClipBounds())
    kept = storage.store_stream([sound], limit=SOUND_LIMIT)
    try:
        with transaction.atomic():
            return Waveform.objects.create(
                sha256=sha256,
                size=len(sound),
                frames=clip.frames,
                storage_key=kept.key,
                created_at=now,
            )
    except IntegrityError:
        Waveform.objects.filter(sha256=sha256).update(storage_key=kept.key)
        return Waveform.objects.get(sha256=sha256)


def _drop(items: QuerySet[Stimulus]) -> None:
    """Remove control items, and the sounds that they are compared with."""
    Stimulus.objects.filter(pairs__in=items).delete()
    items.delete()


def _keep(protocol: RatingProtocol, item: Item, sounds: Sequence[Waveform]) -> Stimulus:
    named = {
        "protocol": protocol,
        "kind": StimulusKind(item.kind),
        "language": item.language,
        "name": item.name.strip(),
    }
    _drop(Stimulus.objects.filter(**named))
    text = item.text.strip()
    other = None
    if protocol.declared.is_pair:
        compared = {**named, "kind": StimulusKind.COMPARED}
        other = Stimulus.objects.create(**compared, text=text, waveform=sounds[1])
    return Stimulus.objects.create(
        **named,
        text=text,
        waveform=sounds[0],
        compared_with=other,
        expected=dict(read_marks(protocol.form, item.expected).marks),
        explanation={key: text.strip() for key, text in item.explanation.items() if text.strip()},
    )
