"""The accounts of the demo: one for each role to try, and a captain for each team."""

from __future__ import annotations

from dataclasses import dataclass

from grading.demo.entrants import ENTRANTS, Entrant


@dataclass(frozen=True, slots=True)
class Person:
    """An account of the demo: names say the role, addresses are of example domains."""

    email: str
    name: str
    role: str
    team: str | None = None


MEMBER_OF = "Team Juniper"

STAFF: tuple[Person, ...] = (
    Person("organizer@example.org", "Organizer of the demo", "organizer"),
    Person("auditor@example.org", "Auditor of the demo", "auditor"),
    Person("admin@example.org", "Administrator of the site", "administrator"),
    Person("outsider@example.org", "Somebody without a team", "outsider"),
)
# Of another domain than the teams: who shares an address with a team may not rate it.
RATERS: tuple[Person, ...] = tuple(
    Person(f"rater.{number}@raters.example", f"Rater {number}", "rater") for number in range(1, 5)
)
MEMBER = Person("juniper.member@example.org", f"Member of {MEMBER_OF}", "member", MEMBER_OF)


def captain_of(entrant: Entrant) -> Person:
    """Return the person who uploads for the entrant."""
    name = f"Captain of {entrant.team}"
    return Person(f"{entrant.slug}.captain@example.org", name, "captain", entrant.team)


def everybody() -> tuple[Person, ...]:
    """Return all accounts of the demo: staff, raters, the member, the captains in the entrants' order."""
    return (*STAFF, *RATERS, MEMBER, *map(captain_of, ENTRANTS))
