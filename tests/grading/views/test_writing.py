"""News, questions and answers, boards, scoring and people: pages of the console and of the competition."""

from __future__ import annotations

import pytest

from accounts.enums import NoticeKind
from competition.models import Announcement, BoardChange, Competition, Question
from grading.models import Notice
from tests.factories.accounts import UserFactory
from tests.factories.competition import AnnouncementFactory
from tests.factories.grading import NOW, join
from tests.grading.views.addresses import of_competition
from tests.site.markup import faults, read

pytestmark = pytest.mark.django_db

LOOK = ("console-announcements", "console-questions", "console-boards")
EVERYBODY = ("anonymous", "unverified", "outsider", "captain", "rival", "organizer", "auditor")


@pytest.fixture
def question(arena, people):
    return Question.objects.create(
        competition=arena.competition,
        asker=arena.captain,
        entrant=arena.entrant,
        text="May Team Alder use lexicons?",
        asked_at=NOW,
    )


def acts(arena, question) -> list[str]:
    code = arena.entrant.code
    return [
        of_competition("announcement-create", arena),
        of_competition("question-answer", arena, question.code),
        of_competition("board-act", arena, arena.phase.code, "freeze"),
        of_competition("scoring-pause", arena),
        of_competition("entrant-take-out", arena, code),
        of_competition("entrant-member-remove", arena, code, arena.captain.code),
    ]


def statuses(client, people, path: str, method: str = "get") -> dict[str, int]:
    found = {}
    for who in EVERYBODY:
        client.logout()
        if people[who]:
            client.force_login(people[who])
        found[who] = getattr(client, method)(path).status_code
    return found


@pytest.mark.parametrize("name", LOOK)
def test_organizers_and_auditors_look_nobody_else_does(client, people, arena, question, name):
    found = statuses(client, people, of_competition(name, arena))
    wanted = dict.fromkeys(EVERYBODY, 403)
    assert found == wanted | {"anonymous": 302, "organizer": 200, "auditor": 200}


def test_only_organizers_act(client, people, arena, question):
    for path in acts(arena, question):
        found = statuses(client, people, path)
        wanted = dict.fromkeys(EVERYBODY, 403)
        assert found == wanted | {"anonymous": 302, "organizer": 200}, path
        client.force_login(people["auditor"])
        assert client.post(path, {"reason": "x", "text": "y"}).status_code == 403
    assert not BoardChange.objects.exists()
    assert not Announcement.objects.exists()


def test_what_belongs_to_another_competition_is_not_there(client, people, arena, question):
    from tests.factories.grading import make_arena

    other = make_arena()
    client.force_login(people["organizer"])
    for name, code in (
        ("question-answer", question.code),
        ("entrant-take-out", arena.entrant.code),
        ("entrant-people", arena.entrant.code),
    ):
        path = of_competition(name, arena, code).replace(
            arena.competition.slug, other.competition.slug
        )
        assert client.get(path).status_code == 403
    stranger = other.entrant.code
    assert client.get(of_competition("entrant-take-out", arena, stranger)).status_code == 404
    assert (
        client.get(of_competition("board-act", arena, other.phase.code, "freeze")).status_code
        == 404
    )
    assert (
        client.get(of_competition("board-act", arena, arena.phase.code, "burn")).status_code == 404
    )


def test_every_page_is_sound(client, people, arena, question):
    client.force_login(people["organizer"])
    AnnouncementFactory(competition=arena.competition, author=people["organizer"])
    paths = [of_competition(name, arena) for name in LOOK] + acts(arena, question)
    paths += [
        of_competition("entrant-people", arena, arena.entrant.code),
        of_competition("question-list", arena),
        of_competition("question-create", arena),
    ]
    for path in paths:
        assert faults(client.get(path).content.decode()) == [], path
        if "questions/ask" not in path and path in acts(arena, question):
            assert faults(client.post(path, {}).content.decode()) == [], path


def written(**changes) -> dict[str, str]:
    return {
        "title_en": "A file was wrong",
        "body_en": "Load it *again*.",
        "title_zh-hans": "文件有误",
        "body_zh-hans": "请重新下载。",
        "act": "publish",
    } | changes


def test_news_is_looked_at_first_and_then_published_and_mailed(client, people, arena):
    client.force_login(people["organizer"])
    path = of_competition("announcement-create", arena)
    preview = client.post(path, written(act="preview")).content.decode()
    assert "<em>again</em>" in preview
    assert "nothing is published yet" in preview
    assert not Announcement.objects.exists()
    client.post(path, written())
    news = Announcement.objects.get()
    assert set(news.texts) == {"en", "zh-hans"}
    recipients = {one.recipient for one in Notice.objects.filter(kind=NoticeKind.ANNOUNCEMENT)}
    assert recipients == {people["captain"], people["rival"]}
    shown = client.get(f"/competitions/{arena.competition.slug}/announcements/").content.decode()
    assert "A file was wrong" in shown


def test_the_same_news_is_not_published_twice(client, people, arena):
    client.force_login(people["organizer"])
    path = of_competition("announcement-create", arena)
    client.post(path, written())
    again = client.post(path, written()).content.decode()
    assert "This is announced already." in again
    assert Announcement.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"title_en": "", "body_en": "", "title_zh-hans": "", "body_zh-hans": ""}, "at least one"),
        ({"body_en": ""}, "Write at least a word."),
        ({"title_en": "A\u202eB"}, "U+202E"),
        ({"body_en": "hidden\u200btext"}, "U+200B"),
    ],
)
def test_news_that_cannot_be_published_says_why_and_keeps_what_was_typed(
    client, people, arena, changes, says
):
    client.force_login(people["organizer"])
    html = client.post(of_competition("announcement-create", arena), written(**changes))
    page = html.content.decode()
    assert faults(page) == []
    assert says in page
    assert not Announcement.objects.exists()


def test_scripts_in_news_are_text(client, people, arena):
    client.force_login(people["organizer"])
    path = of_competition("announcement-create", arena)
    client.post(path, written(body_en="<script>alert(1)</script> [x](javascript:alert(1))"))
    shown = client.get(f"/competitions/{arena.competition.slug}/announcements/").content.decode()
    assert "<script>alert" not in shown
    assert 'href="javascript' not in shown


def ask(client, arena, text="May I use lexicons?"):
    return client.post(of_competition("question-create", arena), {"text": text}, follow=True)


def test_a_question_goes_to_the_organizers_and_its_answer_to_the_person_alone(
    client, people, arena
):
    client.force_login(people["captain"])
    ask(client, arena)
    question = Question.objects.get()
    assert question.entrant == arena.entrant
    asked = Notice.objects.get(kind=NoticeKind.QUESTION)
    assert asked.recipient == people["organizer"]
    assert arena.captain.name not in str(asked.context)
    client.force_login(people["organizer"])
    client.post(of_competition("question-answer", arena, question.code), {"text": "No."})
    answered = Notice.objects.get(kind=NoticeKind.ANSWER)
    assert (answered.recipient, answered.context["answer"]) == (arena.captain, "No.")
    path = of_competition("question-list", arena)
    seen = {}
    for who in ("captain", "rival", "outsider", "anonymous"):
        client.logout()
        if people[who]:
            client.force_login(people[who])
        seen[who] = "May I use lexicons?" in client.get(path).content.decode()
    assert seen == {"captain": True, "rival": False, "outsider": False, "anonymous": False}


def test_the_team_reads_along(client, people, arena, question):
    mate = UserFactory()
    join(arena.entrant, mate)
    client.force_login(mate)
    assert "lexicons" in client.get(of_competition("question-list", arena)).content.decode()


def test_a_public_answer_names_nobody(client, people, arena, question):
    client.force_login(people["organizer"])
    sent = {"text": "No.", "is_public": "on", "shown_text": "May one use lexicons?"}
    client.post(of_competition("question-answer", arena, question.code), sent)
    client.logout()
    html = client.get(of_competition("question-list", arena)).content.decode()
    assert "May one use lexicons?" in html
    for name in ("Team Alder", arena.captain.name, arena.entrant.team.name, question.code):
        assert name not in read(html).text


def test_the_same_answer_again_is_no_second_mail(client, people, arena, question):
    client.force_login(people["organizer"])
    path = of_competition("question-answer", arena, question.code)
    for text in ("No.", "No.", "Yes, since today."):
        client.post(path, {"text": text})
    assert Notice.objects.filter(kind=NoticeKind.ANSWER).count() <= 2
    question.refresh_from_db()
    assert question.answer == "Yes, since today."


def test_who_has_not_confirmed_an_address_cannot_ask_and_nobody_asks_without_end(
    client, people, arena
):
    client.force_login(people["unverified"])
    assert "Confirm your e-mail address first" in ask(client, arena).content.decode()
    client.force_login(people["outsider"])
    for number in range(6):
        last = ask(client, arena, f"Question {number}?")
    assert "wait for an answer already" in last.content.decode()
    ask(client, arena, "Question 0?")
    assert Question.objects.count() == 5


def test_a_draft_competition_has_no_questions_page(client, people, arena):
    Competition.objects.filter(pk=arena.competition.pk).update(state="draft")
    client.force_login(people["outsider"])
    assert client.get(of_competition("question-list", arena)).status_code == 404
    assert ask(client, arena).status_code == 404


def test_boards_and_scoring_are_directed_from_the_console(client, people, arena):
    client.force_login(people["organizer"])
    freeze = of_competition("board-act", arena, arena.phase.code, "freeze")
    listed = client.post(freeze, {"reason": "last day"}, follow=True).content.decode()
    assert "last day" in listed
    paused = client.post(of_competition("scoring-pause", arena), {"reason": "wrong"}, follow=True)
    assert "Scoring is paused." in paused.content.decode()
    slug = arena.competition.slug
    submit = f"/competitions/{slug}/tracks/{arena.track.slug}/{arena.phase.slug}/submit/"
    client.force_login(people["captain"])
    for page in (f"/competitions/{slug}/", submit):
        html = client.get(page).content.decode()
        assert "The organizers have paused scoring." in html
        assert "wrong" in html


def test_the_consoles_changing_part_comes_alone_for_the_page_that_polls(client, people, arena):
    client.force_login(people["organizer"])
    html = client.get(of_competition("console", arena) + "?live=1").content.decode()
    assert html.lstrip().startswith('<div id="live" hx-get=')
    assert "<html" not in html
    client.force_login(people["captain"])
    assert client.get(of_competition("console", arena) + "?live=1").status_code == 403


@pytest.mark.parametrize(("name", "queries"), [("console-boards", 9), ("console-questions", 7)])
def test_lists_take_the_same_queries_for_three_rows_as_for_one(
    client, people, arena, question, django_assert_num_queries, name, queries
):
    client.force_login(people["organizer"])
    path = of_competition(name, arena)
    with django_assert_num_queries(queries):
        client.get(path)
    for number in range(2):
        Question.objects.create(
            competition=arena.competition, asker=arena.captain, text=f"{number}?", asked_at=NOW
        )
        BoardChange.objects.create(
            phase=arena.phase, act="freeze", reason="x", actor=people["organizer"], at=NOW
        )
    with django_assert_num_queries(queries):
        client.get(path)
