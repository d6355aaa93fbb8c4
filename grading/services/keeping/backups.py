"""Backup and restore of a whole installation: database, files, hidden files and keys in one archive."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from accounts import triggers
from accounts.chain import instant
from accounts.services import audit
from grading.services import receipt_keys
from grading.services.keeping import databases, files
from grading.services.keeping.archives import Reader, Writer, reading, writing
from grading.services.keeping.errors import ArchiveBroken, EvidenceBroken, NotEmpty
from grading.storage import BytesMissing

FORMAT = "plaudit-backup/1"
FILES, HIDDEN, RECEIPT_KEY, SECRET_KEY = "files/", "hidden/", "keys/receipt-key", "keys/secret-key"
MADE = "backup.made"


@dataclass(frozen=True, slots=True)
class Kept:
    """What a backup holds, or a restore brought back."""

    kind: str
    members: int
    size: int
    made_at: str


def make(*, path: Path, now: datetime, portable: bool = False) -> Kept:
    """Write a backup to `path` and note it in the log. Participants go on working meanwhile.

    The database is taken first: every file that it names is on the disk before its row is.
    Raises ArchiveExists, ReceiptsUnavailable, OSError; then there is no file.
    """
    kind = databases.kind_here(portable=portable)
    with (
        tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as scratch,
        writing(path, kind=FORMAT) as writer,
    ):
        databases.dump(writer, kind, Path(scratch))
        _add_keys(writer)
        _add(writer, FILES, files.unfinished(), files.unfinished_chunks)
        _add(writer, FILES, files.uploads(), files.upload_chunks)
        _add(writer, HIDDEN, files.hidden(), files.hidden_chunks)
        made_at = instant(now)
        writer.head = {
            "made_at": made_at,
            "database": kind,
            "migrations": databases.version(),
            "site": settings.SITE_URL,
        }
    kept = Kept(kind, len(writer.members), path.stat().st_size, made_at)
    payload = {"kind": kind, "members": kept.members, "size": kept.size}
    audit.record(kind=MADE, actor=None, target="installation", payload=payload, now=now)
    return kept


def restore(*, path: Path, now: datetime) -> Kept:
    """Bring a backup into this installation, which must be empty, and verify that all of it holds.

    Every member is verified before anything is written. Raises NotEmpty, ArchiveBroken,
    ArchiveUnsuited, EvidenceBroken, OSError.
    """
    with reading(path, kind=FORMAT) as reader:
        check_empty()
        databases.prepare(reader, reader.head["database"])
        reader.verify()
        files.check_hidden(reader, HIDDEN)
        _restore_files(reader)
        with tempfile.TemporaryDirectory(dir=_var(), prefix=".restore-") as scratch:
            databases.load(reader, reader.head["database"], Path(scratch))
        databases.gather_statistics()
        _restore_keys(reader)
        check_evidence()
        kept = Kept(
            reader.head["database"],
            len(reader.members),
            path.stat().st_size,
            reader.head["made_at"],
        )
    payload = {"made_at": kept.made_at, "members": kept.members}
    audit.record(
        kind="backup.restored", actor=None, target="installation", payload=payload, now=now
    )
    return kept


def check_empty() -> None:
    """Raise NotEmpty when this installation holds rows, files or a key of receipts."""
    if not databases.is_empty():
        raise NotEmpty(_("The database is not empty. Restore into a new installation."))
    if files.are_there():
        raise NotEmpty(_("There are files already. Restore into a new installation."))
    if Path(settings.RECEIPT_KEY_FILE).exists():
        raise NotEmpty(_("There is a key of receipts already. Restore into a new installation."))


def check_evidence() -> None:
    """Raise EvidenceBroken unless the log's chains hold, every trigger is there and no row breaks a rule."""
    triggers.install()
    broken = [chain for chain in audit.verify().chains if chain.broken]
    if broken:
        raise EvidenceBroken(
            _("The log “%(scope)s” does not hold: event %(number)s.")
            % {"scope": broken[0].scope, "number": broken[0].broken and broken[0].broken.number}
        )
    if triggers.triggers_missing():
        raise EvidenceBroken(_("The triggers that keep evidence could not be installed."))
    if found := triggers.rules_broken():
        raise EvidenceBroken(
            _("Rows break what the database keeps: %(names)s.") % {"names": ", ".join(found)}
        )


def _add(
    writer: Writer, prefix: str, keys: Iterable[str], read: Callable[[str], Iterator[bytes]]
) -> None:
    for key in keys:
        chunks = read(key)
        try:
            first = next(chunks, b"")
        except (FileNotFoundError, BytesMissing):
            continue  # cleaned away since it was listed: no row that counts names it
        writer.add(prefix + key, files.joined(first, chunks))


def _add_keys(writer: Writer) -> None:
    writer.add(RECEIPT_KEY, [receipt_keys.seed().hex().encode("ascii")])
    path = _secret_key_file()
    if path.exists():
        writer.add_file(SECRET_KEY, path)


def _restore_files(reader: Reader) -> None:
    for name in reader.names(FILES):
        files.place_upload(reader, name, name.removeprefix(FILES))
    for name in reader.names(HIDDEN):
        files.place_hidden(reader, name, name.removeprefix(HIDDEN))


def _restore_keys(reader: Reader) -> None:
    """Put the keys back where they are files; with RECEIPT_KEY set, that one goes on signing."""
    if RECEIPT_KEY not in reader.members:
        raise ArchiveBroken(_("%(name)s is missing.") % {"name": RECEIPT_KEY}, member=RECEIPT_KEY)
    _replace(reader, RECEIPT_KEY, Path(settings.RECEIPT_KEY_FILE))
    if SECRET_KEY in reader.members:
        _replace(reader, SECRET_KEY, _secret_key_file())


def _replace(reader: Reader, name: str, path: Path) -> None:
    made = path.with_name(f".{path.name}.restoring")
    made.unlink(missing_ok=True)
    reader.extract(name, made)
    made.replace(path)


def _secret_key_file() -> Path:
    return _var() / "secret-key"


def _var() -> Path:
    """Return the folder of the installation, made if it is not there."""
    folder = Path(settings.VAR_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
