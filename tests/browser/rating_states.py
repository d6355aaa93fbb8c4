"""Walks a rater through every state of the form and of the pages around it, and shows each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from grading.enums import ProtocolState
from grading.models import PlanSlot, Rater, RatingProtocol, RatingSession, RatingTask
from grading.services.ratings import exclusions, raters, sessions
from tests.browser.conftest import session_of, until
from tests.factories.accounts import PASSWORD
from tests.factories.listening import Listening, listener, organizer_of

FORM = "[data-slot=desk] [data-desk]:not([inert])"
MARKS = ("4", "3", "3", "5", "2")

Look = Callable[[Any, str], None]
"""Called with the page and the name of the state that it is in."""


@dataclass(slots=True)
class Scene:
    """A rating, a browser at it, and what is done with each state."""

    listening: Listening
    page: Any
    url: str
    look: Look
    language: str = "en"

    def person(self) -> User:
        """Return somebody who rates in the language of the pictures."""
        return listener(language=self.language)

    def rater(self) -> Rater:
        """Return somebody who has consented and chosen a language."""
        return self.listening.rater(self.person(), now=timezone.now())

    def sitting(self, rater: Rater | None = None) -> RatingSession:
        """Return a sitting that has come to its clips."""
        return self.listening.sitting(rater or self.rater(), now=timezone.now())

    def enter(self, user: User | None) -> None:
        """Log somebody in."""
        self.page.context.clear_cookies()
        spoken = {"name": settings.LANGUAGE_COOKIE_NAME, "value": self.language, "url": self.url}
        self.page.context.add_cookies([*session_of(user, self.url), spoken])

    def go(self, name: str, rater: Rater, **parts: str) -> None:
        """Open a page of a place as its rater."""
        self.enter(rater.user)
        self.page.goto(address(name, rater, **parts))

    def form(self, rater: Rater) -> None:
        """Open the form of a rater and wait until its script runs."""
        self.go("rate-desk", rater)
        self.page.wait_for_selector("html[data-ready=rating]")

    def hear(self) -> None:
        """Play the clip to its end."""
        self.page.keyboard.press(" ")
        self.page.wait_for_selector("[data-heard].ok")

    def mark(self, *keys: str) -> None:
        """Press keys of the form."""
        for key in keys:
            self.page.keyboard.press(key)

    def send(self) -> None:
        """Send the marks and wait for the next clip."""
        task = self.page.get_attribute(FORM, "data-task")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(f'{FORM}:not([data-task="{task}"])')

    def sent(self) -> None:
        """Wait until no answer waits on the device."""
        until(self.page, "!Object.keys(localStorage).some((name) => name.includes(':answer:'))")

    def told(self, kind: str) -> None:
        """Wait for a notice above the form."""
        self.page.wait_for_selector(f"[data-kind={kind}]")


def address(name: str, rater: Rater, **parts: str) -> str:
    """Return the address of a page of a place."""
    return reverse(f"grading:{name}", kwargs={"code": rater.code, **parts})


def joins(scene: Scene) -> None:
    """From the invitation to the languages."""
    user, now = scene.person(), timezone.now()
    organizer = organizer_of(scene.listening)
    _, secret = raters.invite(
        actor=organizer, protocol=scene.listening.protocol, email=user.email, now=now
    )
    path = reverse("grading:rate-invitation", args=[secret])
    scene.enter(None)
    scene.page.goto(path)
    scene.look(scene.page, "invited")
    scene.enter(organizer)
    User.objects.filter(pk=organizer.pk).update(language=scene.language)
    scene.page.goto(path)
    scene.look(scene.page, "invited-another")
    scene.enter(user)
    scene.page.goto(path)
    scene.page.click("main form button")
    scene.look(scene.page, "consent")
    scene.page.check("[name=agree]")
    scene.page.click("main form button")
    scene.look(scene.page, "languages")
    scene.page.click("main form button[type=submit]")
    scene.look(scene.page, "languages-none")


def is_refused_for_a_conflict(scene: Scene) -> None:
    """Whoever oversees the competition opens an invitation that was sent to them."""
    organizer, now = organizer_of(scene.listening), timezone.now()
    User.objects.filter(pk=organizer.pk).update(language=scene.language)
    _, secret = raters.invite(
        actor=organizer, protocol=scene.listening.protocol, email=organizer.email, now=now
    )
    scene.enter(organizer)
    scene.page.goto(reverse("grading:rate-invitation", args=[secret]))
    scene.page.click("main form button")
    scene.look(scene.page, "refused-for-a-conflict")


def checks(scene: Scene) -> None:
    """The headphones check: wrong once, wrong twice, and right."""
    for rounds in ((False, False), (True,)):
        rater = scene.rater()
        session = sessions.start(actor=rater.user, rater=rater, language="en", now=timezone.now())
        scene.go("rate-check", rater)
        scene.page.wait_for_selector("html[data-ready=check]")
        scene.look(scene.page, "check")
        for is_right in rounds:
            session.refresh_from_db()
            for trial in sessions.trials(session=session):
                value = (trial.quietest + (not is_right)) % 3
                scene.page.check(f"[name=trial{trial.number}][value='{value}']")
            scene.page.click("#check button[type=submit]")
            scene.page.wait_for_selector("main")
            ended = sessions.running(rater=rater) is None
            scene.look(scene.page, "check-right" if is_right else f"check-wrong{'-twice' * ended}")


def practices(scene: Scene) -> None:
    """A practice clip, heard, marked, and the answer to each mark."""
    rater = scene.rater()
    session = sessions.start(actor=rater.user, rater=rater, language="en", now=timezone.now())
    right = [trial.quietest for trial in sessions.trials(session=session)]
    sessions.answer_check(actor=rater.user, session=session, answers=right, now=timezone.now())
    scene.go("rate-practice", rater)
    scene.page.wait_for_selector("html[data-ready=rating]")
    scene.look(scene.page, "practice")
    scene.hear()
    scene.mark("1", "3", "1", "4", "3", "2", "3")
    scene.page.keyboard.press("Enter")
    scene.page.wait_for_selector("table.compared")
    scene.look(scene.page, "practice-answer")


def marks(scene: Scene) -> None:
    """One clip from the first look to the marks that are saved, with all that can open beside it."""
    page = scene.page
    scene.form(scene.sitting().rater)
    scene.look(page, "unheard")
    scene.hear()
    scene.mark("1", "3", *MARKS[:3])
    scene.look(page, "half-marked")
    scene.mark(*MARKS[3:])
    until(page, "document.querySelector('[data-saved]').textContent !== ''")
    scene.look(page, "saved")
    page.check(f"{FORM} [name=absent]")
    scene.look(page, "absent")
    page.keyboard.press("?")
    page.wait_for_selector("[data-keys-dialog][open]")
    scene.look(page, "keys")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.wait_for_selector("[data-broken-dialog][open]")
    scene.look(page, "broken")
    page.keyboard.press("Escape")


def hears_a_trap(scene: Scene) -> None:
    """A trap looks as every other clip does."""
    session = scene.sitting()
    RatingSession.objects.filter(pk=session.pk).update(layout=["trap", *session.layout])
    scene.form(session.rater)
    scene.hear()
    scene.look(scene.page, "trap")


def loses_the_line(scene: Scene) -> None:
    """Offline with a clip in hand, then without one, and back."""
    page = scene.page
    rater = scene.sitting().rater
    scene.form(rater)
    with page.expect_response("**/rate/audio/**"):  # the next clip is fetched ahead
        answer(scene)
    scene.sent()
    page.wait_for_selector("[data-slot=ahead] template", state="attached")
    page.context.set_offline(True)
    scene.hear()
    scene.mark("1", "1", *MARKS)
    scene.told("offline")
    scene.look(page, "offline")
    scene.send()
    scene.hear()
    scene.mark("1", "1", *MARKS)
    page.keyboard.press("Enter")
    scene.told("waiting")
    scene.look(page, "offline-waiting")
    page.context.set_offline(False)
    scene.sent()
    page.wait_for_selector(FORM)
    scene.told("online")
    scene.look(page, "online-again")


def answer(scene: Scene) -> None:
    """Hear the clip, mark it, send it."""
    scene.hear()
    scene.mark("1", "1", *MARKS)
    scene.send()


def loses_the_login(scene: Scene) -> None:
    """The session ends under the form, and the log-in is mended in place."""
    page = scene.page
    scene.form(scene.sitting().rater)
    scene.hear()
    Session.objects.all().delete()
    scene.mark("1", "1", *MARKS)
    page.wait_for_selector("[data-login-dialog][open]")
    scene.look(page, "login-expired")
    page.fill("#again-name", "somebody@example.org")
    page.fill("#again-password", f"not {PASSWORD}")
    page.click("[data-login-form] button")
    until(page, "document.querySelector('[data-login-fault]').textContent !== ''")
    scene.look(page, "login-wrong")
    page.keyboard.press("Escape")


def is_away(scene: Scene) -> None:
    """The clip went to somebody else; then it was answered elsewhere."""
    page = scene.page
    session = scene.sitting()
    scene.form(session.rater)
    task = RatingTask.objects.get(session=session, state="open")
    past = timezone.now() - timedelta(minutes=1)
    RatingTask.objects.filter(session=session).update(
        state="released", lease_until=None, ended_at=past
    )
    PlanSlot.objects.filter(pk=task.slot_id).update(lease_until=None)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    scene.told("late")
    scene.look(page, "late")


def has_broken_sound(scene: Scene) -> None:
    """The sound does not load."""
    page = scene.page
    page.route("**/rate/audio/**", lambda route: route.fulfill(status=503))
    scene.form(scene.sitting().rater)
    page.click("[data-play]")
    scene.told("sound")
    scene.look(page, "sound-does-not-load")
    page.unroute("**/rate/audio/**")


def corrects(scene: Scene) -> None:
    """One of the last answers is changed."""
    page = scene.page
    scene.form(scene.sitting().rater)
    for _ in range(2):
        answer(scene)
    scene.sent()
    page.wait_for_selector("details.recent")
    page.click("details.recent summary")
    scene.look(page, "last-answers")
    page.click("details.recent a")
    page.wait_for_selector("html[data-ready=rating]")
    scene.look(page, "revise")


def rests(scene: Scene) -> None:
    """A break is offered, taken, and the sitting ends."""
    page = scene.page
    session = scene.sitting()
    long_ago = timezone.now() - timedelta(minutes=50)
    RatingSession.objects.filter(pk=session.pk).update(rested_at=long_ago)
    scene.form(session.rater)
    page.wait_for_selector("[data-slot=break] form")
    scene.look(page, "break-offered")
    page.click("[data-slot=break] [value=rest]")
    scene.look(page, "break")
    scene.go("rate-place", session.rater)
    scene.look(page, "place-under-way")
    RatingSession.objects.filter(pk=session.pk).update(layout=session.layout[:2])
    scene.form(session.rater)
    answer(scene)  # the one behind it was fetched ahead already
    scene.hear()
    scene.mark("1", "1", *MARKS)
    page.keyboard.press("Enter")
    page.wait_for_url("**/sittings/**")
    scene.look(page, "finished")
    scene.enter(session.rater.user)
    page.goto(reverse("grading:rate-home"))
    scene.look(page, "home")


def ends(scene: Scene) -> None:
    """A sitting is ended early; consent is withdrawn."""
    page = scene.page
    rater = scene.sitting().rater
    scene.go("rate-desk", rater)
    page.click("footer button")
    scene.look(page, "left")
    scene.go("rate-withdraw", rater)
    scene.look(page, "withdraw")
    page.fill("#confirm", "withdraw")
    page.click("main form button")
    scene.look(page, "withdrawn")


def has_nothing_to_do(scene: Scene) -> None:
    """Enough for today; nothing left; excluded; not open; closed."""
    page = scene.page
    tired = scene.rater()
    for _ in range(2):
        session = scene.sitting(tired)
        sessions.leave(actor=tired.user, session=session, now=timezone.now())
    now = timezone.now()
    scene.go("rate-place", tired)
    scene.look(page, "enough-for-today")
    protocol = scene.listening.protocol
    idle = scene.rater()
    slots = PlanSlot.objects.filter(protocol=protocol, done_at__isnull=True)
    taken = list(slots.values_list("pk", flat=True))
    slots.update(done_at=now)
    scene.go("rate-place", idle)
    scene.look(page, "nothing-to-rate")
    PlanSlot.objects.filter(pk__in=taken).update(done_at=None)
    out = scene.rater()
    exclusions.exclude(
        actor=organizer_of(scene.listening),
        protocol=protocol,
        target=out,
        reason="a robot",
        now=timezone.now(),
    )
    scene.go("rate-place", out)
    scene.look(page, "excluded")
    for state, fields in (
        (ProtocolState.CLOSED, {"closed_at": now}),
        (ProtocolState.DRAFT, {"closed_at": None, "opened_at": None}),
    ):
        RatingProtocol.objects.filter(pk=protocol.pk).update(state=state, **fields)
        scene.go("rate-place", idle)
        scene.look(page, f"rating-{state}")


WALKS = (
    joins,
    is_refused_for_a_conflict,
    checks,
    practices,
    marks,
    hears_a_trap,
    loses_the_line,
    loses_the_login,
    is_away,
    has_broken_sound,
    corrects,
    rests,
    ends,
    has_nothing_to_do,
)
