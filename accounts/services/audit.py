"""The audit log: services record events, and the append is the last statement before the commit.

One hash chain for the site and one per competition. The chain holds pseudonymous codes only;
address and user agent go into a side table that may be erased.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils.crypto import salted_hmac

from accounts.chain import GENESIS, canonical_json, instant, link_hash
from accounts.models import AuditChain, AuditEvent, AuditPrivate, User
from accounts.services import linking

SITE = "site"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from."""

    address: str = ""
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """An event that waits for the end of its transaction."""

    scope: str
    kind: str
    actor: str
    target: str
    payload: str
    at: datetime
    origin: Origin


_pending: ContextVar[list[Pending] | None] = ContextVar("audit_pending", default=None)
NOWHERE = Origin()
_origin: ContextVar[Origin] = ContextVar("audit_origin", default=NOWHERE)


@contextmanager
def origin(*, address: str, user_agent: str) -> Iterator[None]:
    """Give every event recorded inside the address and user agent of the request."""
    token = _origin.set(Origin(address, user_agent))
    try:
        yield
    finally:
        _origin.reset(token)


@contextmanager
def audited() -> Iterator[None]:
    """Run a block, or a decorated function, in one transaction and append its events at the end.

    Inside another `audited` block it is a savepoint: when it fails, its events go with it.
    """
    outer = _pending.get()
    if outer is not None:
        with _savepoint(outer):
            yield
        return
    with transaction.atomic():
        events: list[Pending] = []
        token = _pending.set(events)
        try:
            yield
        finally:
            _pending.reset(token)
        _append(events)


@contextmanager
def _savepoint(events: list[Pending]) -> Iterator[None]:
    mark = len(events)
    try:
        with transaction.atomic():
            yield
    except BaseException:
        del events[mark:]
        raise


def record(
    *,
    kind: str,
    actor: User | None,
    target: str,
    payload: Mapping[str, object],
    now: datetime,
    scope: str = SITE,
    address: str = "",
    user_agent: str = "",
) -> None:
    """Record one event `noun.verb`; outside an `audited` block it makes its own transaction.

    `payload` holds JSON values and no names, addresses or texts; `actor` None is the server itself.
    """
    given = _origin.get()
    event = Pending(
        scope=scope,
        kind=kind,
        actor=person(actor) if actor else "",
        target=target,
        payload=canonical_json(payload),
        at=now,
        origin=Origin(address or given.address, user_agent or given.user_agent),
    )
    with audited():
        pending = _pending.get()
        assert pending is not None  # noqa: S101  audited() has just set it
        pending.append(event)


def person(user: User) -> str:
    """Return the pseudonym under which a person stands in the chain."""
    return user.code


def digest(value: object) -> str:
    """Return the SHA-256 (64 hex) of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def keyed_hash(text: str) -> str:
    """Return 32 hex digits that only this installation can compute: for what must not be readable."""
    return salted_hmac("accounts.audit", text, algorithm="sha256").hexdigest()[:32]


def head(scope: str = SITE) -> tuple[int, str]:
    """Return (count, hash) of a chain as it stands, (0, zeros) before its first event."""
    chain = AuditChain.objects.filter(scope=scope).first()
    return (chain.count, chain.head) if chain else (0, GENESIS)


def _append(events: list[Pending]) -> None:
    # Heads are locked in the order of their names, so that two appends never wait for each other.
    append_to = _append_at_once if connection.vendor == "postgresql" else _append_to
    for scope in sorted({event.scope for event in events}):
        append_to(scope, [event for event in events if event.scope == scope])


def _append_at_once(scope: str, events: list[Pending]) -> None:
    for event in events:
        if not _linked(event):
            AuditChain.objects.bulk_create([AuditChain(scope=scope)], ignore_conflicts=True)
            _linked(event)


def _linked(event: Pending) -> bool:
    return linking.append(
        scope=event.scope,
        kind=event.kind,
        actor=event.actor,
        target=event.target,
        payload=event.payload,
        at=event.at,
        private=_private(event),
    )


def _private(event: Pending) -> tuple[str, str] | None:
    """Return the address and user agent of an event, cut to what is kept; None without any."""
    if event.origin == NOWHERE:
        return None
    return event.origin.address[:64], event.origin.user_agent[:256]


def _append_to(scope: str, events: list[Pending]) -> None:
    chain = _lock(scope)
    rows = []
    for event in events:
        rows.append(_link(chain, event))
        chain.count, chain.head = rows[-1].number, rows[-1].hash
    AuditEvent.objects.bulk_create(rows)
    AuditPrivate.objects.bulk_create(
        AuditPrivate(event=row, address=found[0], user_agent=found[1])
        for row, event in zip(rows, events, strict=True)
        if (found := _private(event)) is not None
    )
    chain.save(update_fields=["count", "head"])


def _lock(scope: str) -> AuditChain:
    heads = AuditChain.objects.select_for_update()
    chain = heads.filter(scope=scope).first()
    if chain is None:
        AuditChain.objects.bulk_create([AuditChain(scope=scope)], ignore_conflicts=True)
        chain = heads.get(scope=scope)
    return chain


def _link(chain: AuditChain, event: Pending) -> AuditEvent:
    row = AuditEvent(
        chain=chain,
        number=chain.count + 1,
        kind=event.kind,
        actor=event.actor,
        target=event.target,
        payload=event.payload,
        at=event.at,
        previous=chain.head,
    )
    row.hash = link_hash(_link_of(chain.scope, tuple(getattr(row, name) for name in FIELDS)))
    return row


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a chain does not hold: the event's number and what is wrong with it."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class ChainVerdict:
    """What the check of one chain found."""

    scope: str
    count: int
    head: str
    broken: Break | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check of the log found, chain by chain."""

    chains: tuple[ChainVerdict, ...]

    @property
    def ok(self) -> bool:
        """True when no chain is broken."""
        return all(chain.broken is None for chain in self.chains)


@dataclass(frozen=True, slots=True)
class Pin:
    """A head that somebody noted earlier: the chain had `count` events and this hash."""

    count: int
    hash: str

    @classmethod
    def parse(cls, text: str) -> Pin:
        """Read `COUNT:HASH`; raises ValueError."""
        count, _, digest = text.partition(":")
        if not count.isascii() or not count.isdigit() or len(digest) != len(GENESIS):
            raise ValueError("a pin is COUNT:HASH, the hash in 64 hex digits")
        return cls(int(count), digest.lower())


def verify(scope: str | None = None, pin: Pin | None = None) -> Verdict:
    """Recompute one chain, or all, and compare with the stored heads and with a pin.

    A pin belongs to the named chain, or to the site's when none is named.
    """
    if pin is not None and scope is None:
        scope = SITE
    chains = AuditChain.objects.order_by("scope")
    if scope is not None:
        chains = chains.filter(scope=scope)
    found = tuple(_verify_chain(chain, pin) for chain in chains)
    if scope is not None and not found:
        broken = None if pin is None or pin == Pin(0, GENESIS) else Break(1, "the chain is empty")
        found = (ChainVerdict(scope, 0, GENESIS, broken),)
    return Verdict(found)


FIELDS = ("number", "kind", "actor", "target", "payload", "at", "previous", "hash")


def _verify_chain(chain: AuditChain, pin: Pin | None) -> ChainVerdict:
    """Recompute a chain from its first event; heads that were signed count as pins."""
    pins = {one.count: one for one in _pins(chain, pin)}
    count, digest = 0, GENESIS
    broken = _pin_break(pins[0], digest) if 0 in pins else None
    rows = chain.events.order_by("number").values_list(*FIELDS).iterator(chunk_size=5000)
    for row in rows if broken is None else ():
        link = _link_of(chain.scope, row)
        broken = _link_break(link, row[-1], count, digest)
        if broken:
            break
        count, digest = row[0], row[-1]
        broken = _pin_break(pins[count], digest) if count in pins else None
        if broken:
            break
    broken = broken or _head_break(chain, count, digest, max(pins, default=0))
    return ChainVerdict(chain.scope, count, digest, broken)


def _pins(chain: AuditChain, pin: Pin | None) -> Iterator[Pin]:
    if pin is not None:
        yield pin
    for count, head_hash in chain.checkpoints.values_list("count", "head"):
        if pin is None or count != pin.count:
            yield Pin(count, head_hash)


def _link_of(scope: str, row: tuple[Any, ...]) -> dict[str, object]:
    number, kind, actor, target, payload, at, previous, _hash = row
    return {
        "scope": scope,
        "number": number,
        "kind": kind,
        "actor": actor,
        "target": target,
        "payload": payload,
        "at": instant(at),
        "previous": previous,
    }


def _link_break(link: Mapping[str, object], stored: str, count: int, previous: str) -> Break | None:
    number = count + 1
    if link["number"] != number:
        return Break(number, "the event is missing")
    if link["previous"] != previous:
        return Break(number, "it does not follow the event before it")
    if stored != link_hash(link):
        return Break(number, "its content does not match its hash")
    return None


def _pin_break(pin: Pin, digest: str) -> Break | None:
    if pin.hash == digest:
        return None
    return Break(pin.count, "its hash is not the pinned one")


def _head_break(chain: AuditChain, count: int, digest: str, pinned: int) -> Break | None:
    if (chain.count, chain.head) != (count, digest):
        return Break(count + 1, f"the head names {chain.count} events; the last ones are missing")
    if pinned > count:
        return Break(count + 1, f"the pin names {pinned} events; the last ones are missing")
    return None
