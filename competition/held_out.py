"""What keeps held-out audio from participants, in the database itself, whoever writes to it.

Audio that is held out stands in no pack, no window's pool, no draw and no phase; audio that ever did,
or that was held out once before, does not become held out. Rules of the family see each other also
when two transactions run at once.
"""

from __future__ import annotations

from typing import Final

from accounts.guards import Guard

FAMILY: Final = "held-out"

_WRITES: Final = ("INSERT", "UPDATE")


_PACK_FILE: Final = (
    "EXISTS (SELECT 1 FROM competition_audio a WHERE a.sha256 = NEW.sha256 AND a.pool = 'held-out')"
)


_CLIP_OF_ROW: Final = (
    "EXISTS (SELECT 1 FROM competition_datasetclip c"
    " JOIN competition_audio a ON a.id = c.audio_id"
    " WHERE c.id = NEW.clip_id AND a.pool = 'held-out')"
)


_UTTERANCE_OF_PHASE: Final = (
    "EXISTS (SELECT 1 FROM competition_referenceversion r"
    " JOIN competition_track t ON t.id = r.track_id"
    " JOIN competition_dataset d ON d.competition_id = t.competition_id"
    " JOIN competition_datasetversion v ON v.dataset_id = d.id"
    " JOIN competition_datasetclip c ON c.version_id = v.id AND c.utt_id = NEW.utt_id"
    " JOIN competition_audio a ON a.id = c.audio_id"
    " WHERE r.id = NEW.references_id AND a.pool = 'held-out')"
)


_LISTED_CLIP: Final = (
    "EXISTS (SELECT 1 FROM competition_audio a"
    " WHERE a.id = NEW.audio_id AND a.pool = 'held-out')"
    " AND EXISTS (SELECT 1 FROM competition_datasetversion v"
    " JOIN competition_dataset d ON d.id = v.dataset_id"
    " JOIN competition_track t ON t.competition_id = d.competition_id"
    " JOIN competition_referenceversion r ON r.track_id = t.id"
    " JOIN competition_referenceutterance u ON u.references_id = r.id"
    " WHERE v.id = NEW.version_id AND u.utt_id = NEW.utt_id)"
)
"""A held-out clip under an id that participants have been asked for."""


_SERVED: Final = (
    "EXISTS (SELECT 1 FROM competition_packfile f WHERE f.sha256 = NEW.sha256)"
    " OR EXISTS (SELECT 1 FROM competition_datasetclip c"
    " JOIN competition_drawnclip w ON w.clip_id = c.id WHERE c.audio_id = NEW.id)"
    " OR EXISTS (SELECT 1 FROM competition_datasetclip c"
    " JOIN competition_poolclip p ON p.clip_id = c.id WHERE c.audio_id = NEW.id)"
    " OR EXISTS (SELECT 1 FROM competition_datasetclip c"
    " JOIN competition_datasetversion v ON v.id = c.version_id"
    " JOIN competition_dataset d ON d.id = v.dataset_id"
    " JOIN competition_track t ON t.competition_id = d.competition_id"
    " JOIN competition_referenceversion r ON r.track_id = t.id"
    " JOIN competition_referenceutterance u ON u.references_id = r.id"
    " AND u.utt_id = c.utt_id WHERE c.audio_id = NEW.id)"
)


_INTO_HELD_OUT: Final = (
    "NEW.pool = 'held-out' AND OLD.pool <> 'held-out'"  # noqa: S608  our own words
    " AND (" + _SERVED + " OR EXISTS (SELECT 1 FROM competition_poolmove m"
    " WHERE m.audio_id = NEW.id AND m.old = 'held-out'))"
)


_BORN_HELD_OUT: Final = (
    "NEW.pool = 'held-out'"
    " AND EXISTS (SELECT 1 FROM competition_packfile f WHERE f.sha256 = NEW.sha256)"
)


_UNRECORDED: Final = (
    "NEW.pool <> OLD.pool AND NOT EXISTS (SELECT 1 FROM competition_poolmove m"
    " WHERE m.id = (SELECT MAX(l.id) FROM competition_poolmove l WHERE l.audio_id = NEW.id)"
    " AND m.old = OLD.pool AND m.new = NEW.pool)"
)


_NOT_DRAWN: Final = (
    "EXISTS (SELECT 1 FROM competition_referenceutterance u"
    " WHERE u.references_id = NEW.references_id AND NOT EXISTS"
    " (SELECT 1 FROM competition_drawnclip w"
    " JOIN competition_datasetclip c ON c.id = w.clip_id"
    " WHERE w.draw_id = NEW.draw_id AND c.utt_id = u.utt_id))"
)
"""A phase that says it takes a draw, with an utterance that was not drawn."""


_OTHER_BYTES: Final = (
    "NEW.storage_key <> 'vault/served/' || SUBSTR(NEW.sha256, 1, 2) || '/' || NEW.sha256"
)
"""A file of a pack that says one hash and would send the bytes of another, or of the other area."""


_ELSEWHERE: Final = (
    "NEW.pool = 'held-out' AND NEW.storage_key <> 'vault/held-out/' || SUBSTR(NEW.sha256, 1, 2)"
    " || '/' || NEW.sha256"
    f" OR NEW.pool <> 'held-out' AND {_OTHER_BYTES}"
)
"""Audio that would be read from the area of another pool, or under another hash."""


_OF_ANOTHER_TRACK: Final = (
    "EXISTS (SELECT 1 FROM competition_referenceversion r"
    " WHERE r.id = NEW.references_id AND r.track_id <> NEW.track_id)"
)
"""A phase that would ask for what another track's references list: nobody looked whether it is held out."""


_MOVED_TRACK: Final = "NEW.competition_id <> OLD.competition_id"
_MOVED_REFERENCES: Final = "NEW.track_id <> OLD.track_id"
"""What a competition asks for would come from where other clips are held out."""


NOT_HELD_OUT: Final = (
    f"NOT {_CLIP_OF_ROW}"  # noqa: S608  our own words
    " AND NOT EXISTS (SELECT 1 FROM competition_datasetclip c"
    " JOIN competition_poolmove m ON m.audio_id = c.audio_id"
    " WHERE c.id = NEW.clip_id AND m.old = 'held-out')"
)
"""What a row of a held-out set must not name: a clip that is not held out and never was.

One that was released stays in the sets that it was of, also where they are imported.
"""


GUARDS: Final = (
    Guard("held_out_pack", "packfile", _WRITES, _PACK_FILE, FAMILY),
    Guard("packed_bytes", "packfile", _WRITES, _OTHER_BYTES, FAMILY),
    Guard("audio_bytes", "audio", _WRITES, _ELSEWHERE, FAMILY),
    Guard("phase_asks_own", "phase", _WRITES, _OF_ANOTHER_TRACK, FAMILY),
    Guard("track_stays", "track", ("UPDATE",), _MOVED_TRACK, FAMILY),
    Guard("references_stay", "referenceversion", ("UPDATE",), _MOVED_REFERENCES, FAMILY),
    Guard("held_out_pool", "poolclip", _WRITES, _CLIP_OF_ROW, FAMILY),
    Guard("held_out_draw", "drawnclip", _WRITES, _CLIP_OF_ROW, FAMILY),
    Guard("held_out_phase", "referenceutterance", _WRITES, _UTTERANCE_OF_PHASE, FAMILY),
    Guard("phase_takes_drawn", "phasedraw", _WRITES, _NOT_DRAWN, FAMILY),
    Guard("held_out_listed", "datasetclip", _WRITES, _LISTED_CLIP, FAMILY),
    Guard("held_out_barred", "audio", ("UPDATE",), _INTO_HELD_OUT, FAMILY, alone=True),
    Guard("held_out_issued", "audio", ("INSERT",), _BORN_HELD_OUT, FAMILY, alone=True),
    Guard("pool_move_recorded", "audio", ("UPDATE",), _UNRECORDED, FAMILY, alone=True),
)
