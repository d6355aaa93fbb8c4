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

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts.chain import GENESIS, canonical_json, instant, link_hash
from accounts.models import AuditChain, AuditEvent, AuditPrivate, User

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
    for scope in sorted({event.scope for event in events}):
        _append_to(scope, [event for event in events if event.scope == scope])


def _append_to(scope: str, events: list[Pending]) -> None:
    chain = _lock(scope)
    rows = []
    for event in events:
        rows.append(_link(chain, event))
        chain.count, chain.head = rows[-1].number, rows[-1].hash
    AuditEvent.objects.bulk_create(rows)
    AuditPrivate.objects.bulk_create(
        AuditPrivate(
            event=row,
            address=event.origin.address[:64],
            user_agent=event.origin.user_agent[:256],
        )
        for row, event in zip(rows, events, strict=True)
        if event.origin != NOWHERE
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
    row.hash = link_hash(_content(chain.scope, row))
    return row


def _content(scope: str, row: AuditEvent) -> dict[str, object]:
    return {
        "scope": scope,
        "number": row.number,
        "kind": row.kind,
        "actor": row.actor,
        "target": row.target,
        "payload": row.payload,
        "at": instant(row.at),
        "previous": row.previous,
    }


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


def _verify_chain(chain: AuditChain, pin: Pin | None) -> ChainVerdict:
    count, digest = 0, GENESIS
    broken = None if pin is None or pin.count else _pin_break(pin, digest)
    for row in chain.events.order_by("number").iterator(chunk_size=2000):
        broken = broken or _link_break(chain.scope, row, count, digest)
        if broken:
            break
        count, digest = row.number, row.hash
        if pin is not None and pin.count == count:
            broken = _pin_break(pin, digest)
    broken = broken or _head_break(chain, count, digest, pin)
    return ChainVerdict(chain.scope, count, digest, broken)


def _link_break(scope: str, row: AuditEvent, count: int, previous: str) -> Break | None:
    if row.number != count + 1:
        return Break(count + 1, "the event is missing")
    if row.previous != previous:
        return Break(row.number, "it does not follow the event before it")
    if row.hash != link_hash(_content(scope, row)):
        return Break(row.number, "its content does not match its hash")
    return None


def _pin_break(pin: Pin, digest: str) -> Break | None:
    if pin.hash == digest:
        return None
    return Break(pin.count, "its hash is not the pinned one")


def _head_break(chain: AuditChain, count: int, digest: str, pin: Pin | None) -> Break | None:
    if (chain.count, chain.head) != (count, digest):
        return Break(count + 1, f"the head names {chain.count} events; the last ones are missing")
    if pin is not None and pin.count > count:
        return Break(count + 1, f"the pin names {pin.count} events; the last ones are missing")
    return None
