from __future__ import annotations

import stat
from pathlib import Path

from grading.demo.entrants import ENTRANTS
from grading.demo.logins import ensure_logins, stored_logins
from grading.demo.people import everybody


def test_passwords_are_made_once_and_kept_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "var" / "demo-logins.json"
    made, fresh = ensure_logins(path, everybody())
    again, none = ensure_logins(path, everybody())
    assert fresh == set(made)
    assert none == set()
    assert again == made == stored_logins(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len({login.password for login in made.values()}) == len(made)
    assert min(len(login.password) for login in made.values()) >= 12


def test_a_person_who_is_new_gets_a_password_and_the_others_keep_theirs(tmp_path: Path) -> None:
    path = tmp_path / "demo-logins.json"
    before, _ = ensure_logins(path, everybody()[:-1])
    after, fresh = ensure_logins(path, everybody())
    assert fresh == {everybody()[-1].email}
    assert {email: after[email] for email in before} == before


def test_nothing_is_left_of_a_draft(tmp_path: Path) -> None:
    ensure_logins(tmp_path / "demo-logins.json", everybody())
    assert [path.name for path in tmp_path.iterdir()] == ["demo-logins.json"]


def test_there_is_a_log_in_for_each_role_and_a_captain_for_each_team() -> None:
    people = everybody()
    assert {person.role for person in people} == {
        "organizer", "auditor", "rater", "administrator", "outsider", "member", "captain",
    }  # fmt: skip
    assert len({person.email for person in people}) == len(people)
    captains = [person.team for person in people if person.role == "captain"]
    assert captains == [entrant.team for entrant in ENTRANTS]
    assert all(
        person.email.endswith("@raters.example" if person.role == "rater" else "@example.org")
        for person in people
    )
