"""Papers of selected systems: who files and checks, what is refused, what the board shows."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.enums import TokenScope
from accounts.models import AuditEvent
from competition.enums import EntrantKind, EntrantState
from competition.models import Entrant
from competition.services.errors import NotOrganizer, TextInvalid
from grading import finals, papers
from grading.enums import FilingKind, FilingVerdict
from grading.models import Filing, FilingCheck, FinalSystem, Notice
from grading.services import kept_bytes
from grading.services.final import errors, filings
from grading.services.final.filings import SentPaper
from tests.api.conftest import client_of
from tests.factories.accounts import UserFactory
from tests.factories.finals import Stage
from tests.factories.grading import NOW


@pytest.fixture
def system(stage) -> FinalSystem:
    stage.judged("alpha", "70")
    return stage.select().systems.get()


def file(system: FinalSystem, kind=FilingKind.DESCRIPTION, **sent) -> Filing:
    paper = SentPaper(**(sent or {"text": "A small model."}))
    return filings.file(
        actor=system.submission.uploader, system=system, kind=kind, sent=paper, now=NOW
    )


def check(stage: Stage, filing: Filing, verdict=FilingVerdict.ACCEPTED, note="") -> FilingCheck:
    return filings.check(actor=stage.organizer, filing=filing, verdict=verdict, note=note, now=NOW)


def states(system: FinalSystem) -> list[str]:
    return [item.state for item in papers.items_of([system])[system.pk]]


def test_a_paper_goes_from_missing_to_accepted_and_a_newer_one_begins_anew(stage, system):
    assert states(system) == ["missing"] * 3
    first = file(system)
    assert states(system) == ["filed", "missing", "missing"]
    check(stage, first, FilingVerdict.RETURNED, "Name the data.")
    assert states(system)[0] == "returned"
    second = file(system, text="A small model, trained on our own speech.")
    assert (second.number, states(system)[0]) == (2, "filed")
    check(stage, second)
    assert states(system)[0] == "accepted"
    assert AuditEvent.objects.filter(kind="filing.checked").count() == 2
    told = Notice.objects.filter(context__act__startswith="filing-")
    assert {one.context["act"] for one in told} == {"filing-returned", "filing-accepted"}


def test_only_the_newest_is_checked_and_a_return_needs_a_word(stage, system):
    first = file(system)
    with pytest.raises(errors.FilingInvalid):
        check(stage, first, FilingVerdict.RETURNED, "  ")
    file(system, text="Newer.")
    with pytest.raises(errors.FilingRefused):
        check(stage, first)
    with pytest.raises(NotOrganizer):
        filings.check(
            actor=UserFactory(),
            filing=first,
            verdict=FilingVerdict.ACCEPTED,
            note="",
            now=NOW,
        )


@pytest.mark.parametrize(
    ("sent", "refusal"),
    [
        ({"text": " \n"}, errors.FilingInvalid),
        ({"link": "http://example.org/x"}, errors.FilingInvalid),
        ({"link": "https://name:secret@example.org/x"}, errors.FilingInvalid),
        ({"link": "javascript:alert(1)"}, errors.FilingInvalid),
        ({"link": "https://"}, errors.FilingInvalid),
        ({"link": "https://example.org/" + "x" * 500}, errors.FilingInvalid),
        ({"link": "https://[::1"}, errors.FilingInvalid),
        ({"text": "x" * 10_001}, TextInvalid),
        ({"text": "a\u202eb"}, TextInvalid),
    ],
)
def test_what_is_no_paper_is_refused(system, sent, refusal):
    with pytest.raises(refusal):
        file(system, **sent)
    assert not Filing.objects.exists()


def test_only_the_team_files_and_nobody_who_is_out(stage, system):
    with pytest.raises(errors.NotTheirSystem):
        filings.file(
            actor=stage.organizer,
            system=system,
            kind=FilingKind.MATERIAL,
            sent=SentPaper(text="x y"),
            now=NOW,
        )
    Entrant.objects.update(state=EntrantState.WITHDRAWN)
    system = FinalSystem.objects.get()
    with pytest.raises(errors.FilingRefused):
        file(system)


def test_nothing_is_asked_of_a_reference(stage, client):
    stage.judged("alpha", "70")
    voice = stage.judged("voice", "90", kind=EntrantKind.UNOFFICIAL)
    selection = stage.select(reference=voice.code)
    reference = selection.systems.get(reason="reference")
    with pytest.raises(errors.FilingRefused):
        file(reference)
    client.force_login(voice.uploader)
    names = [stage.competition.slug, "generation", "final", voice.code]
    assert client.get(reverse("grading:final-filings", args=names)).status_code == 404


def test_a_file_is_kept_and_given_back_to_the_team_and_the_organizers_alone(stage, system, client):
    names = [stage.competition.slug, "generation", "final", system.submission.code]
    url = reverse("grading:final-filings", args=names)
    client.force_login(system.submission.uploader)
    sent = SimpleUploadedFile('re"port\r\n.html', b"<script>alert(1)</script>", "text/html")
    assert client.post(url, {"kind": "material", "file": sent}).status_code == 302
    filing = Filing.objects.get()
    assert kept_bytes.is_wanted(filing.storage_key)
    download = reverse("grading:filing-file", args=[stage.competition.slug, filing.code])
    answer = client.get(download)
    assert answer.content == b"<script>alert(1)</script>"
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    client.force_login(UserFactory())
    assert client.get(download).status_code == 404
    client.force_login(stage.organizer)
    assert client.get(download).status_code == 200
    page = client.get(reverse("grading:filing-check", args=[stage.competition.slug, filing.code]))
    assert page.status_code == 200


def test_a_refused_paper_stays_in_its_form(stage, system, client):
    names = [stage.competition.slug, "generation", "final", system.submission.code]
    client.force_login(system.submission.uploader)
    answer = client.post(
        reverse("grading:final-filings", args=names),
        {"kind": "material", "text": "kept as typed", "link": "ftp://example.org"},
    )
    assert answer.status_code == 200
    assert answer.text.count("kept as typed") == 1
    assert "begins with https://" in answer.text


def test_the_board_shows_papers_and_why_somebody_is_unofficial(stage, system):
    check(stage, file(system))
    stage.rank()
    seen = finals.seen_by(stage.phase, stage.organizer, NOW)
    row = finals.final_object(stage.phase, seen)["views"]["final"]["rated"][0]
    assert row["verification"] == {
        "description": "accepted",
        "resources": "missing",
        "material": "missing",
    }


def test_papers_are_evidence_and_the_database_refuses_empty_ones(stage, system):
    filing = file(system)
    found = check(stage, filing)
    given = {"system": system, "filed_by": stage.organizer, "filed_at": NOW}
    for act in (
        lambda: Filing.objects.create(kind="material", number=1, **given),
        lambda: Filing.objects.create(kind="diary", number=1, text="x", **given),
        lambda: Filing.objects.create(kind="description", number=1, text="x", **given),
        lambda: Filing.objects.create(kind="material", number=1, storage_key="x", **given),
        lambda: FilingCheck.objects.create(
            filing=filing, verdict="returned", checked_by=stage.organizer, checked_at=NOW
        ),
        lambda: Filing.objects.filter(pk=filing.pk).update(text="other"),
        lambda: FilingCheck.objects.filter(pk=found.pk).delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            act()


def test_papers_are_read_and_filed_over_the_api_by_the_team_alone(stage, system):
    team = system.submission.phase
    path = (
        f"/api/v1/competitions/{team.track.competition.slug}/tracks/{team.track.slug}"
        f"/phases/{team.slug}/final/{system.submission.code}/papers/"
    )
    captain = client_of(system.submission.uploader)
    listed = captain.get(path).json()["results"]
    assert [(one["kind"], one["state"]) for one in listed] == [
        (kind, "missing") for kind in FilingKind.values
    ]
    sent = captain.post(path, {"kind": "resources", "text": "No paid service."}, format="json")
    assert (sent.status_code, sent.json()["state"], sent.json()["number"]) == (201, "filed", 1)
    paper = SimpleUploadedFile("system.pdf", b"%PDF-1.7 our paper")
    sent = captain.post(path, {"kind": "description", "file": paper}, format="multipart")
    assert (sent.status_code, sent.json()["filename"], sent.json()["size"]) == (
        201,
        "system.pdf",
        18,
    )
    check(stage, Filing.objects.get(kind="resources"), FilingVerdict.RETURNED, "Name the data.")
    found = {one["kind"]: one for one in captain.get(path).json()["results"]}
    assert (found["resources"]["state"], found["resources"]["note"]) == (
        "returned",
        "Name the data.",
    )
    assert states(system) == [found[kind]["state"] for kind in FilingKind.values]
    nothing = captain.post(path, {"kind": "material"}, format="json")
    assert (nothing.status_code, nothing.json()["code"]) == (422, "FILING_INVALID")
    assert captain.post(path, {"kind": "poem", "text": "x"}, format="json").status_code == 400
    stranger = client_of(UserFactory())
    assert stranger.get(path).status_code == 404
    assert stranger.post(path, {"kind": "resources", "text": "x"}, format="json").status_code == 404
    assert client_of(stage.organizer).get(path).status_code == 404
    reader = client_of(system.submission.uploader, [TokenScope.READ])
    assert reader.get(path).status_code == 200
    assert reader.post(path, {"kind": "resources", "text": "x"}, format="json").status_code == 403
    assert Filing.objects.count() == 2
