"""Appends an event to its chain in one statement of PostgreSQL.

Writers wait for each other at the chain's head, and every round trip while one holds it is time that
all the others wait too. The hash is made in the database of the same text as `chain.link_hash`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection

from accounts.chain import link_pieces

STATEMENT = """
WITH head AS (
  SELECT id, count, head FROM accounts_auditchain WHERE scope = %(scope)s FOR UPDATE
), link AS (
  SELECT id, count + 1 AS number, head AS previous, encode(sha256(convert_to(
    %(before)s || (count + 1)::text || %(between)s || head || %(after)s, 'UTF8')), 'hex') AS hash
  FROM head
), moved AS (
  UPDATE accounts_auditchain AS chain SET count = link.number, head = link.hash
  FROM link WHERE chain.id = link.id
), event AS (
  INSERT INTO accounts_auditevent
    (chain_id, number, kind, actor, target, payload, at, previous, hash)
  SELECT id, number, %(kind)s, %(actor)s, %(target)s, %(payload)s, %(at)s, previous, hash FROM link
  RETURNING id
), private AS (
  INSERT INTO accounts_auditprivate (event_id, address, user_agent)
  SELECT id, %(address)s, %(user_agent)s FROM event WHERE %(is_private)s
)
SELECT id FROM event
"""


def append(
    *,
    scope: str,
    kind: str,
    actor: str,
    target: str,
    payload: str,
    at: datetime,
    private: tuple[str, str] | None,
) -> bool:
    """Append one event, with address and user agent where there are any; False without such a chain.

    The head stays locked until the transaction ends.
    """
    before, between, after = link_pieces(
        scope=scope, kind=kind, actor=actor, target=target, payload=payload, at=at
    )
    address, user_agent = private or ("", "")
    values: dict[str, Any] = {
        "scope": scope,
        "kind": kind,
        "actor": actor,
        "target": target,
        "payload": payload,
        "at": at,
        "before": before,
        "between": between,
        "after": after,
        "address": address,
        "user_agent": user_agent,
        "is_private": private is not None,
    }
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, values)
        return cursor.fetchone() is not None
