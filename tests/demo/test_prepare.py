from __future__ import annotations

import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Team, TeamInvitation, User
from competition.enums import EntrantKind, EntrantState
from competition.models import Competition, Entrant, EntrantMember, RoleGrant, TermsAcceptance
from grading.demo.entrants import ENTRANTS
from grading.demo.logins import stored_logins
from grading.demo.people import MEMBER, captain_of, everybody
from grading.demo.prepare import logins_path, prepare
from grading.models import PhaseRecipe

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
MADE = (User, Team, TeamInvitation, Entrant, EntrantMember, RoleGrant, TermsAcceptance, PhaseRecipe)


FEW = tuple(e for e in ENTRANTS if e.team in {"Team Juniper", "Team Dune", "Baseline A"})


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> None:
    settings.VAR_DIR = tmp_path


@pytest.fixture
def few_entrants(monkeypatch) -> None:
    monkeypatch.setattr("grading.demo.prepare.ENTRANTS", FEW)
    monkeypatch.setattr("grading.demo.people.ENTRANTS", FEW)


def quietly(_: str) -> None:
    """Take what is said."""


def counts() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in MADE}


def test_everybody_can_log_in_with_the_password_of_the_file(few_entrants) -> None:
    prepare(now=NOW, say=quietly)
    for login in list(stored_logins(logins_path()).values())[:7]:
        user = User.objects.get(email=login.email)
        assert user.check_password(login.password)
        assert user.is_verified
    assert User.objects.filter(is_superuser=True).get().email == "admin@example.org"


def test_every_team_takes_part_and_is_of_its_kind() -> None:
    competition = prepare(now=NOW, say=quietly)
    kinds = dict(competition.entrants.values_list("team__name", "kind"))
    assert kinds == {
        entrant.team: (
            EntrantKind.BASELINE
            if entrant.baseline
            else EntrantKind.OFFICIAL
            if entrant.official
            else EntrantKind.UNOFFICIAL
        )
        for entrant in ENTRANTS
    }
    assert not competition.entrants.exclude(state=EntrantState.ACCEPTED).exists()
    members = set(
        competition.entrants.get(team__name=MEMBER.team).members.values_list(
            "user__email", flat=True
        )
    )
    assert MEMBER.email in members
    assert len(members) == 2


def test_a_second_time_changes_nothing(few_entrants) -> None:
    competition = prepare(now=NOW, say=quietly)
    before = counts(), competition.loaded_at, logins_path().read_bytes()
    again = prepare(now=NOW.replace(day=21), say=quietly)
    assert (counts(), again.loaded_at, logins_path().read_bytes()) == before


@pytest.mark.parametrize("step", ["_ensure_competition", "_ensure_role", "_ensure_kind"])
def test_stopped_in_the_middle_it_completes_what_is_missing(
    few_entrants, monkeypatch, step: str
) -> None:
    def stop(*_args: object, **_kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"grading.demo.prepare.{step}", stop)
        with pytest.raises(KeyboardInterrupt):
            prepare(now=NOW, say=quietly)
    prepare(now=NOW, say=quietly)
    complete = counts()
    assert complete["User"] == len(everybody())
    assert complete["Entrant"] == complete["Team"] == len(FEW)
    prepare(now=NOW, say=quietly)
    assert counts() == complete


def test_a_lost_file_of_log_ins_is_made_anew_and_works(few_entrants) -> None:
    prepare(now=NOW, say=quietly)
    logins_path().unlink()
    prepare(now=NOW, say=quietly)
    login = stored_logins(logins_path())[captain_of(FEW[0]).email]
    assert User.objects.get(email=login.email).check_password(login.password)


def test_the_command_prints_one_log_in_for_each_role(few_entrants) -> None:
    with pytest.raises(CommandError, match="no log-ins yet"):
        call_command("demo", "logins", stdout=StringIO())
    call_command("demo", "prepare", stdout=StringIO())
    out = StringIO()
    call_command("demo", "logins", stdout=out)
    shown = out.getvalue()
    for role in ("organizer", "auditor", "rater", "administrator", "outsider", "member", "captain"):
        assert f"  {role} " in shown
    assert "juniper.captain@example.org" in shown
    assert str(logins_path()) in shown


def test_the_loaded_competition_is_the_definition_of_the_folder(few_entrants) -> None:
    prepare(now=NOW, say=quietly)
    competition = Competition.objects.get(slug="nvv-demo")
    tracks = {track.slug: track for track in competition.tracks.all()}
    assert {slug: {phase.slug for phase in one.phases.all()} for slug, one in tracks.items()} == {
        "understanding": {"dev", "final"},
        "generation": {"dev", "final"},
    }
    shown = [competition.texts, *((one.texts, one.params) for one in tracks.values())]
    assert "shooting star" not in json.dumps(shown)
    assert "hold hands and jump" not in json.dumps(shown)
