"""Every address of the site, read from the URL conf, and how each is filled in for a try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.security.stage import Stage, reset_link, verification_link

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
        return self.route.startswith("api/")


def endpoints() -> list[Endpoint]:
    """Return every endpoint of the URL conf but the Django admin's, by name."""
    found = [one for one in _walk(get_resolver()) if not one.name.startswith(f"{ADMIN}:")]
    return sorted(found, key=lambda one: (one.is_api, one.name))


def admin_routes() -> list[str]:
    """Return the names of the Django admin's endpoints."""
    return sorted({one.name for one in _walk(get_resolver()) if one.name.startswith(f"{ADMIN}:")})


def _walk(
    resolver: URLResolver, names: tuple[str, ...] = (), route: str = ""
) -> Iterator[Endpoint]:
    for pattern in resolver.url_patterns:
        path = route + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            kwargs = tuple(resolver.pattern.converters) + tuple(pattern.pattern.converters)
            label = pattern.name or f"unnamed {path}"
            yield Endpoint(":".join((*names, label)), path, kwargs)
            continue
        inside = (*names, pattern.namespace) if pattern.namespace else names
        yield from _walk(pattern, inside, path)


SUBMISSION_ACTS = {
    "grading:submission-cancel",
    "grading:submission-unmark",
    "api-v1:submission-cancel",
    "api-v1:submission-unmark",
}
"""Tried on a submission that waits; everything else on one that is scored."""

CODES = {
    "accounts:token-revoke": "token",
    "accounts:team": "team",
    "accounts:invitation-revoke": "team",
    "accounts:member": "team",
    "grading:entrant": "entrant",
    "grading:console-utterances": "scored",
    "grading:deadline-move": "phase_code",
    "grading:submission": "scored",
    "grading:report": "scored",
    "api-v1:submission": "scored",
}
"""What `<code>` means, by the beginning of an endpoint's name."""

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
VARIANTS = ("own", "rival", "draft")
"""Whose object: the member's own team's in the open competition; the rival team's; the draft competition's."""


def address(name: str, variant: str, stage: Stage) -> str:
    """Return the path of an endpoint for one variant; raises KeyError for parts nobody named."""
    endpoint = next(one for one in endpoints() if one.name == name)
    side = stage.rival if variant == "rival" else stage.own
    places = stage.places(stage.draft if variant == "draft" else stage.arena)
    known = {
        **side.objects,
        **places,
        "secret": side.invitation_secret,
        "token": _link_of(name, side.captain),
        "version": _scorer_version(),
    }
    values = {part: known[part] for part in _parts(endpoint.route) if part != "code"}
    if "code" in _parts(endpoint.route):
        values["code"] = {**side.objects, **places}[_meaning(name)]
    if name == "grading:entrant-decide":
        values["code"] = stage.waiting_entrant.code
    return reverse(name, kwargs=values)


def tried_variants(name: str, stage: Stage) -> list[str]:
    """Return the variants in which an endpoint's address differs."""
    found: dict[str, str] = {}
    for variant in VARIANTS:
        found.setdefault(address(name, variant, stage), variant)
    return list(found.values())


def _parts(route: str) -> list[str]:
    inside = [piece.split(">")[0] for piece in route.split("<")[1:]]
    return [piece.split(":")[-1] for piece in inside]


def _meaning(name: str) -> str:
    if name in SUBMISSION_ACTS:
        return "waiting"
    return next(what for beginning, what in CODES.items() if name.startswith(beginning))


def _link_of(name: str, user: object) -> str:
    make = reset_link if "reset" in name else verification_link
    return make(user)


def _scorer_version() -> str:
    from grading.scoring import __version__

    return __version__
