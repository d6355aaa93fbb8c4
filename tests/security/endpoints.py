"""Every address of the site, read from the URL conf, and how each is filled in for a try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import User
from accounts.services import links
from grading.scoring import __version__
from tests.factories.grading import NOW
from tests.security.stage import Stage

ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A named address and the names of the parts that vary in it."""

    name: str
    route: str
    kwargs: tuple[str, ...]

    @property
    def is_api(self) -> bool:
        """Whether it is spoken to with a token."""
        return self.route.startswith("api/v1/")


def endpoints() -> list[Endpoint]:
    """Return every endpoint of the URL conf but the Django admin's, by name."""
    found = [one for one in _walk(get_resolver()) if not one.name.startswith(f"{ADMIN}:")]
    return sorted(found, key=lambda one: (one.is_api, one.name))


def admin_routes() -> list[str]:
    """Return the names of the Django admin's endpoints."""
    return sorted({one.name for one in _walk(get_resolver()) if one.name.startswith(f"{ADMIN}:")})


def _walk(
    resolver: URLResolver,
    names: tuple[str, ...] = (),
    route: str = "",
    parts: tuple[str, ...] = (),
) -> Iterator[Endpoint]:
    for pattern in resolver.url_patterns:
        path = route + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            kwargs = (*parts, *pattern.pattern.converters)
            label = pattern.name or f"unnamed {path}"
            yield Endpoint(":".join((*names, label)), path, kwargs)
            continue
        inside = (*names, pattern.namespace) if pattern.namespace else names
        yield from _walk(pattern, inside, path, (*parts, *pattern.pattern.converters))


SUBMISSION_ACTS = {
    "grading:submission-cancel",
    "grading:submission-unmark",
    "api-v1:submission-cancel",
    "api-v1:submission-unmark",
}
"""Tried on a submission that waits; everything else on one that is scored."""

CODES = {
    "accounts:token-revoke": "api_token",
    "accounts:team": "team",
    "accounts:invitation-revoke": "team",
    "accounts:member": "team",
    "competition:issue": "issue",
    "competition:pack": "pack",
    "grading:console-draw": "window",
    "grading:draw": "window",
    "grading:issue-": "issue",
    "grading:pack-act": "pack",
    "grading:pack-issue": "pack",
    "grading:window-act": "window",
    "grading:own-verification-output": "verified",
    "grading:verification-begin": "phase_code",
    "grading:verification": "verification",
    "grading:entrant": "entrant",
    "grading:merge-choose": "entrant",
    "grading:person-timeline": "captain",
    "grading:console-utterances": "scored",
    "grading:board-act": "phase_code",
    "grading:deadline-move": "phase_code",
    "grading:question": "question",
    "grading:receipt": "scored",
    "grading:rescoring": "phase_code",
    "grading:score-checks": "scored",
    "grading:judging-": "judge_run",
    "grading:upload": "upload",
    "grading:submission": "scored",
    "grading:clip-list": "voiced",
    "grading:report": "scored",
    "api-v1:submission-clips": "voiced",
    "api-v1:submission": "scored",
    "api-v1:score-checks": "scored",
    "api-v1:upload": "upload",
    "api-v1:file-set": "file_set",
    "api-v1:pack": "pack",
    "api-v1:copy": "issue",
    "api-v1:window": "window",
    "grading:final-filings": "system",
    "api-v1:final-papers": "system",
    "grading:final": "phase_code",
    "grading:console-final": "phase_code",
    "grading:filing": "paper",
}
"""What `<code>` means, by the beginning of an endpoint's name."""

PURPOSES = {"reset": links.RESET, "notice": links.NOTICES}
"""What a mailed link in an address is for, by a word of the endpoint's name; else to verify."""

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
VARIANTS = ("own", "rival", "draft")
"""Whose object: the member's own team's in the open competition; the rival team's; the draft competition's."""


VOICES = ("grading:clip-list", "grading:judging-", "api-v1:submission-clips", "api-v1:file-set")
"""Beginnings of what belongs to the open phase that takes clips."""

FINALS = ("grading:final", "grading:console-final", "grading:filing", "api-v1:final")
"""Beginnings of what belongs to the phase whose systems people rate."""

OF_RATINGS = "grading:rating-"
"""The beginning of what organizers do with a rating: that of the final."""

OF_RATERS = "grading:rate-"
"""The beginning of what belongs to a rater: own is the rater's, anything else another one's."""

PARTS: dict[str, dict[str, str]] = {
    "accounts:notice-stop": {"kind": "scored"},
    "api-v1:upload-part": {"number": "1"},
    "api-v1:file-set-file": {"name": "say_0001.wav"},
    "grading:board-act": {"act": "freeze"},
    "grading:final-act": {"act": "publish"},
    "grading:pack-act": {"act": "withdraw"},
    "grading:window-act": {"act": "draw"},
    "grading:dataset-clips": {"number": "1"},
    "grading:clips-move": {"number": "1"},
    "grading:rating-act": {"act": "lay-out"},
}
"""Values of parts that mean something in one endpoint alone."""


def address(name: str, variant: str, stage: Stage) -> str:
    """Return the path of an endpoint for one variant."""
    endpoint = next(one for one in endpoints() if one.name == name)
    known = _known(name, variant, stage)
    missing = set(endpoint.kwargs) - set(known)
    assert not missing, (
        f"{name} has parts that tests/security/endpoints.py does not fill in: {sorted(missing)}; "
        "name them in CODES (what <code> means) or PARTS"
    )
    return reverse(name, kwargs={part: known[part] for part in endpoint.kwargs})


def _known(name: str, variant: str, stage: Stage) -> dict[str, str]:
    side = stage.rival if variant == "rival" else stage.own
    places = stage.places(stage.draft if variant == "draft" else stage.arena)
    known = {
        **side.objects,
        **places,
        "secret": side.invitation_secret,
        "token": _link_of(name, side.captain),
        "version": __version__,
        "verified": stage.verified[side.entrant.pk],
        **PARTS.get(name, {}),
    }
    known |= dict.fromkeys(("system", "paper", "voiced", "file_set", "judge_run"), "none")
    if name.startswith(OF_RATERS):
        place = stage.hearing.place(name, is_own=variant == "own")
        known |= place.names
        known |= {"task": place.answered.code} if name == "grading:rate-revise" else {}
    if name.startswith(OF_RATINGS):
        return known | stage.rating
    if name.startswith(VOICES) and variant != "draft":
        known |= stage.voices.names(side.entrant)
    if name.startswith(FINALS) and variant != "draft":
        known |= stage.final.names(side.entrant)
    meaning = meaning_of(name)
    if meaning is not None:
        known["code"] = known[meaning]
    other = stage.own if variant == "rival" else stage.rival
    known |= {"one": side.captain.code, "other": other.captain.code}
    if name == "grading:entrant-merge":
        known["other"] = other.entrant.code
    if name == "grading:entrant-decide":
        known["code"] = stage.waiting_entrant.code
    return known


def tried_variants(name: str, stage: Stage) -> list[str]:
    """Return the variants in which an endpoint's address differs."""
    found: dict[str, str] = {}
    for variant in VARIANTS:
        found.setdefault(address(name, variant, stage), variant)
    return list(found.values())


def meaning_of(name: str) -> str | None:
    """Return what `<code>` is in an endpoint's address, None where it has none."""
    if name in SUBMISSION_ACTS:
        return "waiting"
    return next((what for beginning, what in CODES.items() if name.startswith(beginning)), None)


def _link_of(name: str, user: User) -> str:
    purpose = next((one for word, one in PURPOSES.items() if word in name), links.VERIFY)
    return links.make_token(purpose, user, NOW)
