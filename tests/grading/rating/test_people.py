"""Raters: invitations, consent in versions, conflicts of interest, withdrawal."""

from __future__ import annotations

import pytest
from django.core import mail

from accounts.models import AuditEvent, TeamMembership, User
from competition.enums import Role
from competition.models import Entrant, RoleGrant
from grading.enums import ExclusionKind, RaterState
from grading.models import RaterInvitation, RatingExclusion, RatingNote
from grading.services.ratings import conflicts, consents, errors, raters, results
from tests.factories.accounts import UserFactory
from tests.factories.grading import NOW
from tests.factories.rating import make_hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return make_hall(settings={"texts": 3, "wanted": 1, "raters": 3})


def test_an_invitation_makes_a_rater_of_the_person_it_was_sent_to(
    hall, django_capture_on_commit_callbacks
):
    guest = UserFactory(email="guest@listeners.example")
    with django_capture_on_commit_callbacks(execute=True):
        invitation, secret = raters.invite(
            actor=hall.organizer, protocol=hall.protocol, email=guest.email, now=NOW
        )
    assert secret not in str(invitation.__dict__)
    with pytest.raises(errors.InvitationElsewhere):
        raters.accept(actor=UserFactory(), secret=secret, now=NOW)
    with pytest.raises(errors.InvitationInvalid):
        raters.accept(actor=guest, secret="x" * 32, now=NOW)
    rater = raters.accept(actor=guest, secret=secret, now=NOW)
    assert rater.state == RaterState.JOINED
    assert raters.accept(actor=guest, secret=secret, now=NOW) == rater
    assert RoleGrant.objects.filter(user=guest, role=Role.RATER).count() == 1
    again, _ = raters.invite(
        actor=hall.organizer, protocol=hall.protocol, email="GUEST@listeners.example", now=NOW
    )
    assert RaterInvitation.objects.filter(revoked_at__isnull=True, accepted_at=None).get() == again
    raters.revoke_invitation(actor=hall.organizer, invitation=again, now=NOW)
    assert len(mail.outbox) <= 1  # carried by threads of the web server


def test_who_oversees_the_competition_cannot_rate(hall):
    auditor = UserFactory()
    RoleGrant.objects.create(
        competition=hall.arena.competition, user=auditor, role=Role.AUDITOR, granted_at=NOW
    )
    for user in (hall.organizer, auditor, UserFactory(is_superuser=True)):
        with pytest.raises(errors.RaterConflict):
            raters.place_for(protocol=hall.protocol, user=user, now=NOW)


def test_a_new_version_of_the_consent_text_is_asked_again(hall):
    person = hall.rater()
    assert raters.has_consented(person.rater)
    old = raters.consent_text(protocol=hall.protocol, language="zh-hant")
    assert old.language == "en"
    consents.publish(
        actor=hall.organizer,
        protocol=hall.protocol,
        texts={"en": "More?", "zh-hans": "同意吗？"},
        keeps_ratings=False,
        now=NOW,
    )
    assert not raters.has_consented(person.rater)
    with pytest.raises(errors.ConsentMissing):
        person.begin()
    with pytest.raises(errors.ConsentOutdated):
        raters.give_consent(actor=person.user, rater=person.rater, text=old, now=NOW)
    text = raters.consent_text(protocol=hall.protocol, language="zh-hant")
    assert text.text == "同意吗？"
    raters.give_consent(actor=person.user, rater=person.rater, text=text, now=NOW)
    person.begin()


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("a@example.edu", "b@example.edu", True),
        ("a@speech.example.edu", "b@example.edu", True),
        ("a@A.EXAMPLE.edu", "b@b.example.edu", False),  # two parts of one institution
        ("a@notexample.edu", "b@example.edu", False),
        ("a@gmail.com", "b@gmail.com", False),
        ("a@qq.com", "b@qq.com", False),
        ("a@one.ac.uk", "b@two.ac.uk", False),
        ("a@one.ac.uk", "b@ac.uk", False),
        ("a@x.tsinghua.edu.cn", "b@tsinghua.edu.cn", True),
        ("", "b@example.edu", False),
    ],
)
def test_the_same_domain_is_that_of_an_institution(one, other, is_same):
    assert conflicts.is_same_domain(one, other) is is_same
    assert conflicts.is_same_domain(other, one) is is_same


def test_a_conflict_is_a_team_a_past_place_a_declaration_or_a_domain(hall):
    first, second, third = (one.entrant for one in hall.submissions)
    person = hall.rater()

    def seen() -> set[int]:
        found = conflicts.systems_of(person.rater)
        return set(
            hall.protocol.systems.filter(pk__in=found).values_list("submission__entrant", flat=True)
        )

    assert seen() == set()
    TeamMembership.objects.create(team=first.team, user=person.user, joined_at=NOW, left_at=NOW)
    assert seen() == {first.pk}
    raters.declare(actor=person.user, rater=person.rater, entrants=[second], now=NOW)
    assert seen() == {first.pk, second.pk}
    raters.declare(actor=person.user, rater=person.rater, entrants=[], now=NOW)
    boss = third.members.get().user
    User.objects.filter(pk=boss.pk).update(email="boss@lab.listeners.example")
    assert seen() == {first.pk, third.pk}
    own = hall.protocol.systems.get(submission__entrant=third)
    hall.protocol.systems.filter(pk=own.pk).update(reason="baseline")
    assert seen() == {first.pk}
    with pytest.raises(errors.EntrantUnknown):
        raters.declare(actor=person.user, rater=person.rater, entrants=[Entrant(pk=10**9)], now=NOW)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_withdrawal_leaves_nothing_that_leads_to_the_person(keeps):
    hall = make_hall(settings={"texts": 3, "wanted": 1, "raters": 3})
    consents.publish(
        actor=hall.organizer,
        protocol=hall.protocol,
        texts={"en": "Again?"},
        keeps_ratings=keeps,
        now=NOW,
    )
    person = hall.rater()
    person.begin()
    task = person.claim().open
    person.listen(task)
    person.answer(task, note="my name is Ada")
    person.rate()
    before = len(results.ratings(protocol=hall.protocol, screened=False))
    raters.withdraw(actor=person.user, rater=person.rater, now=person.now)
    assert (person.rater.state, person.rater.user) == (RaterState.WITHDRAWN, None)
    assert not RatingNote.objects.exists()
    assert not hall.protocol.plans.filter(rater__isnull=False).exists()
    assert not RoleGrant.objects.filter(user=person.user, revoked_at__isnull=True).exists()
    left = len(results.ratings(protocol=hall.protocol, screened=False))
    assert left == (before if keeps else 0)
    out = RatingExclusion.objects.filter(kind=ExclusionKind.RATER)
    assert out.exists() is not keeps
    told = " ".join(AuditEvent.objects.values_list("payload", flat=True))
    assert person.rater.pseudonym not in told
    assert person.rater.code not in told
    with pytest.raises(errors.RaterUnknown):
        raters.withdraw(actor=person.user, rater=person.rater, now=person.now)
