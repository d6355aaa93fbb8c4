from __future__ import annotations

import io
import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent
from competition.definition.difference import Change
from competition.enums import Strata
from competition.models import (
    Competition,
    DeadlineChange,
    Phase,
    ReferenceUtterance,
    ReferenceVersion,
    Terms,
    Track,
)
from competition.services import deadlines, references
from competition.services.errors import (
    DeadlineInvalid,
    DefinitionInvalid,
    DefinitionStale,
    NotOrganizer,
    PhaseKept,
    ReasonMissing,
    RecipeNeeded,
    TermsVersionKept,
    VersionNotRaised,
)
from grading.models import PhaseRecipe, Submission
from grading.services import draws, loading
from tests.factories.accounts import UserFactory
from tests.factories.competition import REFERENCES, EntrantFactory, RoleGrantFactory
from tests.factories.datasets import DatasetClipFactory, DatasetVersionFactory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
CANARY = "kumquat"

DEFINITION = """\
slug: challenge
version: 1
languages: [en]
state: published
title: {en: Challenge}
terms: {version: "1", text: {en: Play fair.}}
tracks:
  - slug: understanding
    kind: nvv-t1
    title: {en: Understanding}
    params:
      labels: [laugh, sigh, throat clearing]
      collars: {en: 2, zh: 5}
      weights: {f1: 0.70, mntd: 0.20, error: 0.10}
      tie_breaks: [f1, mntd, error]
    phases:
      - slug: dev
        title: {en: Development}
        opens_at: 2026-11-01 00:00 AoE
        closes_at: 2026-12-08 23:59 AoE
        quota: {per_day: 5, total: 50}
        references: dev.jsonl
      - slug: final
        title: {en: Final}
        opens_at: 2026-12-09 00:00 AoE
        closes_at: 2026-12-15 23:59 AoE
        references: final.jsonl
"""

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def hidden(settings, tmp_path: Path) -> Path:
    settings.HIDDEN_FILES = tmp_path / "hidden"
    return tmp_path / "hidden"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "challenge"
    folder.mkdir()
    (folder / "dev.jsonl").write_bytes(REFERENCES)
    (folder / "final.jsonl").write_bytes(REFERENCES.replace(b"well", CANARY.encode()))
    (folder / "competition.yaml").write_text(DEFINITION)
    return folder


def plan(folder: Path, text: str = DEFINITION) -> loading.Plan:
    return loading.plan(definition_text=text, base_dir=folder, now=NOW)


def load(folder: Path, text: str = DEFINITION, **given) -> Competition:
    values = {"actor": None, "plan": plan(folder, text), "now": NOW}
    return loading.apply(**(values | given))


def edited(*pairs: tuple[str, str], version: int = 2) -> str:
    text = DEFINITION.replace("version: 1", f"version: {version}", 1)
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def send_in(phase: Phase) -> Submission:
    return Submission.objects.create(
        entrant=EntrantFactory(competition=phase.track.competition),
        phase=phase,
        uploader=UserFactory(),
        number=1,
        system="s",
        filename="f",
        size=1,
        content_id="0" * 64,
        storage_key="k",
        created_at=NOW,
        received_at=NOW,
    )


def phase_of(slug: str) -> Phase:
    return Phase.objects.select_related("track__competition").get(slug=slug)


def test_loading_makes_rows_references_and_recipes(folder) -> None:
    competition = load(folder)
    assert (competition.slug, competition.state, competition.terms_version) == (
        "challenge",
        "published",
        "1",
    )
    dev = phase_of("dev")
    assert dev.closes_at == datetime(2026, 12, 9, 12, tzinfo=UTC)
    assert references.read_bytes(dev.references) == REFERENCES
    assert dev.references.counts == {"en": 1, "zh": 1}
    utterances = ReferenceUtterance.objects.filter(references=dev.references)
    assert set(utterances.values_list("utt_id", "language")) == {("en_1", "en"), ("zh_1", "zh")}
    assert PhaseRecipe.objects.filter(role="live").count() == 2
    event = AuditEvent.objects.get()
    assert (event.kind, event.chain.scope) == ("competition.loaded", competition.audit_scope)
    assert Terms.objects.get().texts == {"en": "Play fair."}


def test_loading_the_same_file_again_changes_nothing(folder, django_assert_num_queries) -> None:
    competition = load(folder)
    again = plan(folder)
    assert (again.changes, again.faults) == ((), ())
    assert loading.apply(actor=None, plan=again, now=NOW + timedelta(days=1)) == competition
    assert Competition.objects.get().loaded_at == NOW
    assert AuditEvent.objects.count() == 1
    assert ReferenceVersion.objects.count() == 2


def test_a_comment_is_no_change_and_needs_no_new_version(folder) -> None:
    load(folder)
    text = "# note\n" + DEFINITION
    assert plan(folder, text).changes == ()
    load(folder, text)
    assert Competition.objects.get().definition == text
    assert AuditEvent.objects.count() == 1


def test_the_diff_says_old_and_new_for_each_path(folder) -> None:
    load(folder)
    text = edited(
        ("{per_day: 5, total: 50}", "{per_day: 6}"),
        ("2026-12-08 23:59", "2026-12-10 23:59"),
        ("title: {en: Final}", "title: {en: Finals}\n        grace_minutes: 10"),
    )
    dev, final = "tracks.understanding.phases.dev", "tracks.understanding.phases.final"
    assert plan(folder, text).changes == (
        Change(f"{dev}.closes_at", "2026-12-08 23:59 AoE", "2026-12-10 23:59 AoE"),
        Change(f"{dev}.quota_per_day", "5", "6"),
        Change(f"{dev}.quota_total", "50", "unlimited"),
        Change(f"{final}.texts.en.title", "Final", "Finals"),
        Change(f"{final}.grace_minutes", "30", "10"),
    )
    assert plan(folder, text).lines()[0] == (
        f"~ {dev}.closes_at: 2026-12-08 23:59 AoE -> 2026-12-10 23:59 AoE"
    )


def test_deadlines_and_quotas_change_with_a_reason_and_keep_their_history(folder) -> None:
    load(folder)
    text = edited(
        ("{per_day: 5, total: 50}", "{per_day: 6, total: 50}"),
        ("2026-12-08 23:59", "2026-12-10 23:59"),
    )
    with pytest.raises(ReasonMissing):
        load(folder, text)
    assert phase_of("dev").quota_per_day == 5
    load(folder, text, reason="Power cut")
    dev = phase_of("dev")
    assert (dev.quota_per_day, dev.closes_at) == (6, datetime(2026, 12, 11, 12, tzinfo=UTC))
    change = DeadlineChange.objects.get()
    assert (change.old, change.reason) == (datetime(2026, 12, 9, 12, tzinfo=UTC), "Power cut")
    kinds = list(AuditEvent.objects.order_by("number").values_list("kind", flat=True))
    assert kinds == ["competition.loaded", "deadline.moved", "quota.changed", "competition.loaded"]


def test_a_deadline_moved_on_a_page_is_not_moved_back_by_the_same_file(folder) -> None:
    load(folder)
    later = datetime(2026, 12, 20, 12, tzinfo=UTC)
    deadlines.move(
        actor=None, phase=phase_of("dev"), field="closes_at", new=later, reason="x", now=NOW
    )
    assert plan(folder).changes == ()
    load(folder, edited(("{per_day: 5, total: 50}", "{per_day: 6}")), reason="More")
    assert phase_of("dev").closes_at == later


def test_a_plan_tells_what_was_changed_on_the_site_and_what_loading_does_to_it(folder) -> None:
    load(folder)
    later = datetime(2026, 12, 20, 12, tzinfo=UTC)
    deadlines.move(
        actor=None, phase=phase_of("dev"), field="closes_at", new=later, reason="x", now=NOW
    )
    path = "tracks.understanding.phases.dev.closes_at"
    (kept,) = plan(folder).moved
    assert (kept.path, kept.wanted) == (path, None)
    assert (kept.in_force, kept.loaded) == ("2026-12-19 23:59 AoE", "2026-12-08 23:59 AoE")
    assert "loading keeps it" in plan(folder).lines()[-1]
    text = edited(("2026-12-08 23:59", "2026-12-31 23:59"))
    (replaced,) = plan(folder, text).moved
    assert replaced.wanted == "2026-12-31 23:59 AoE"
    assert "LOADING REPLACES IT" in plan(folder, text).lines()[-1]
    load(folder, text, reason="More time")
    assert plan(folder, text).moved == ()


def test_a_dry_run_says_that_nothing_was_written_and_that_a_reason_is_needed(folder) -> None:
    run(folder)
    (folder / "competition.yaml").write_text(edited(("2026-12-08 23:59", "2026-12-10 23:59")))
    shown = run(folder, "--dry-run")
    assert "loading needs --reason" in shown
    assert shown.endswith("Nothing was written (--dry-run).\n")
    assert "needs --reason" not in run(folder, "--dry-run", "--reason", "Power cut")


def test_a_deadline_does_not_move_into_the_past(folder) -> None:
    load(folder)
    with pytest.raises(DeadlineInvalid):
        load(folder, edited(("2026-12-08 23:59", "2026-11-08 23:59")), reason="x")


def test_a_published_definition_needs_a_higher_version_and_a_draft_does_not(folder) -> None:
    draft = DEFINITION.replace("published", "draft")
    load(folder, draft)
    load(folder, draft.replace("title: {en: Final}", "title: {en: Finals}"))
    load(folder, DEFINITION)
    with pytest.raises(VersionNotRaised):
        load(folder, DEFINITION.replace("title: {en: Final}", "title: {en: Finals}"))
    assert Competition.objects.get().state == "published"


FIXED = [
    ("collars: {en: 2", "collars: {en: 3", ["tracks.understanding.params.collars.en"]),
    ("[laugh, sigh, throat", "[laugh, throat", ["tracks.understanding.params.labels"]),
    ("f1: 0.70, mntd: 0.20", "f1: 0.60, mntd: 0.30", [
        "tracks.understanding.params.weights.f1", "tracks.understanding.params.weights.mntd",
    ]),
    ("references: dev.jsonl", "references: final.jsonl", [
        "tracks.understanding.phases.dev.references",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "paths"), FIXED)
def test_after_the_first_submission_scoring_changes_only_by_a_new_recipe(
    folder, old: str, new: str, paths: list[str]
) -> None:
    load(folder)
    submission = send_in(phase_of("dev"))
    before = Track.objects.values().get(), phase_of("dev").references_id
    if "sigh, throat" in old:  # the references use the label: they would be refused as well
        for name in ("dev", "final"):
            path = folder / f"{name}.jsonl"
            path.write_bytes(path.read_bytes().replace(b"sigh", b"laugh"))
        paths = [*paths, "tracks.understanding.phases.dev.references"]
    with pytest.raises(RecipeNeeded) as caught:
        load(folder, edited((old, new)))
    assert caught.value.params["paths"] == sorted(paths)
    assert (Track.objects.values().get(), phase_of("dev").references_id) == before
    assert Submission.objects.get() == submission


def test_references_of_a_phase_without_submissions_may_still_change(folder) -> None:
    load(folder)
    send_in(phase_of("dev"))
    (folder / "final.jsonl").write_bytes(REFERENCES.replace(b"yes", b"no"))
    load(folder, edited())
    final = phase_of("final").references
    assert (final.version, references.read_bytes(final)) == (2, REFERENCES.replace(b"yes", b"no"))
    recipe = PhaseRecipe.objects.get(phase__slug="final", role="live").recipe
    assert recipe.references == final


def test_a_phase_of_drawn_clips_keeps_its_draw_whatever_is_loaded(folder) -> None:
    more = b'{"utt_id": "en_2", "language": "en", "text_with_nvvs": "so [sigh] far"}\n'
    (folder / "final.jsonl").write_bytes(REFERENCES + more)
    text = edited(("references: final.jsonl", "clips: drawn\n        references: final.jsonl"))
    load(folder, text)
    final = phase_of("final")
    rows = (("en_1", "en"), ("en_2", "en"), ("zh_1", "zh"))
    version = DatasetVersionFactory(dataset__competition=final.track.competition)
    for utt_id, language in rows:
        DatasetClipFactory(version=version, utt_id=utt_id, language=language)
    opens_at, closes_at = final.opens_at, final.closes_at
    window = draws.commit(
        actor=None,
        version=version,
        plan=draws.Plan(2, opens_at, closes_at, strata=Strata.LANGUAGE_TIER, phase=final),
        now=NOW,
    )
    draws.draw(window=window, now=opens_at)
    drawn = phase_of("final").references
    assert drawn.utterances.count() == 2
    load(folder, text.replace("Final}", "Final phase}").replace("version: 2", "version: 3"))
    assert phase_of("final").references == drawn
    back = text.replace("clips: drawn", "clips: listed").replace("version: 2", "version: 4")
    with pytest.raises(PhaseKept, match="were drawn"):
        load(folder, back)
    (folder / "final.jsonl").write_bytes(REFERENCES.replace(b"yes", b"no"))
    with pytest.raises(PhaseKept, match="were drawn"):
        load(folder, text.replace("version: 2", "version: 5"))
    assert phase_of("final").references == drawn


def test_everything_may_change_before_the_first_submission(folder) -> None:
    load(folder)
    load(folder, edited(("collars: {en: 2", "collars: {en: 3")))
    assert Track.objects.get().params["collars"]["en"] == 3
    live = PhaseRecipe.objects.filter(role="live").select_related("recipe")
    assert {row.recipe.params["collars"]["en"] for row in live} == {3}


def without_dev() -> str:
    text = edited()
    start, end = text.index("      - slug: dev"), text.index("      - slug: final")
    return text[:start] + text[end:]


SENDERS = ("references: dev.jsonl", "references: dev.jsonl\n        senders: organizers")


@pytest.mark.parametrize("text", [without_dev, lambda: edited(SENDERS)])
def test_a_phase_with_submissions_stays_and_so_does_who_sends_to_it(folder, text) -> None:
    load(folder)
    send_in(phase_of("dev"))
    with pytest.raises(PhaseKept, match="understanding/dev"):
        load(folder, text())
    assert [one.senders for one in Phase.objects.all()] == ["entrants", "entrants"]


def test_a_phase_without_submissions_can(folder) -> None:
    load(folder)
    load(folder, without_dev())
    assert list(Phase.objects.values_list("slug", flat=True)) == ["final"]


def test_a_track_with_recipes_cannot_be_removed(folder) -> None:
    load(folder)
    with pytest.raises(PhaseKept, match="understanding"):
        load(folder, edited(("slug: understanding", "slug: other")))
    assert list(Track.objects.values_list("slug", flat=True)) == ["understanding"]
    assert Phase.objects.count() == 2


def test_a_phase_with_a_moved_deadline_cannot_be_removed(folder) -> None:
    load(folder)
    later = datetime(2026, 12, 20, 12, tzinfo=UTC)
    deadlines.move(
        actor=None, phase=phase_of("dev"), field="closes_at", new=later, reason="x", now=NOW
    )
    with pytest.raises(PhaseKept):
        load(folder, without_dev())
    assert Phase.objects.count() == 2


def test_new_terms_need_a_new_version(folder) -> None:
    load(folder)
    with pytest.raises(TermsVersionKept):
        load(folder, edited(("Play fair.", "Play fairly.")))
    load(
        folder, edited(('{version: "1", text: {en: Play fair.}}', "{version: b, text: {en: New.}}"))
    )
    assert list(Terms.objects.order_by("pk").values_list("version", flat=True)) == ["1", "b"]
    assert Competition.objects.get().terms_version == "b"


def test_organizers_load_their_own_competition_and_administrators_any(folder) -> None:
    for person in (UserFactory(), RoleGrantFactory().user):
        with pytest.raises(NotOrganizer):
            load(folder, actor=person)
    assert not Competition.objects.filter(slug="challenge").exists()
    competition = load(folder, actor=UserFactory(is_superuser=True))
    organizer = RoleGrantFactory(competition=competition).user
    load(folder, edited(("title: {en: Final}", "title: {en: Finals}")), actor=organizer)
    assert AuditEvent.objects.order_by("number").last().actor == organizer.code


def test_a_plan_made_before_somebody_elses_load_is_stale(folder) -> None:
    early = plan(folder)
    load(folder)
    with pytest.raises(DefinitionStale):
        loading.apply(actor=None, plan=early, now=NOW)


def test_every_fault_is_told_and_nothing_is_written(folder) -> None:
    (folder / "dev.jsonl").unlink()
    text = edited(("mntd: 0.20", "mntd: 0.25"), ("kind: nvv-t1", "knd: x\n    kind: nvv-t1"))
    made = plan(folder, text)
    assert made.definition is None
    lines = made.lines()
    assert any("knd is not known here" in line for line in lines)
    assert any("tracks[0].params" in line for line in lines)
    with pytest.raises(DefinitionInvalid) as caught:
        loading.apply(actor=None, plan=made, now=NOW)
    assert caught.value.params["faults"] == lines
    assert not Competition.objects.exists()


def test_faults_of_references_name_their_line_and_repeat_nothing(folder, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    bad = f'{{"utt_id": "en_1", "language": "en", "text_with_nvvs": "{CANARY} [{CANARY}]"}}\n'
    (folder / "dev.jsonl").write_text(bad)
    lines = plan(folder).lines()
    assert any("dev.jsonl, line 1: UNSUPPORTED_NVV_TAG" in line for line in lines)
    assert CANARY not in "".join(lines) + caplog.text


@pytest.mark.parametrize("kind", ["missing", "link", "folder"])
def test_references_are_files_inside_the_definitions_folder(folder, tmp_path, kind: str) -> None:
    path = folder / "dev.jsonl"
    path.unlink()
    if kind == "link":
        (tmp_path / "elsewhere.jsonl").write_bytes(REFERENCES)
        path.symlink_to(tmp_path / "elsewhere.jsonl")
    if kind == "folder":
        path.mkdir()
    [line] = plan(folder).lines()
    assert "tracks[0].phases[0].references: dev.jsonl: it " in line


def run(folder: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("load_competition", str(folder / "competition.yaml"), *options, stdout=out)
    return out.getvalue()


def test_the_command_shows_the_changes_and_loads(folder) -> None:
    shown = run(folder, "--dry-run")
    assert "+ tracks.understanding.phases.dev.quota_per_day: 5" in shown
    assert not Competition.objects.exists()
    assert run(folder).endswith("challenge is loaded, version 1.\n")
    assert run(folder) == "Nothing changes.\nchallenge is loaded, version 1.\n"
    assert CANARY not in shown


def test_the_command_ends_with_an_error_at_faults_and_refusals(folder) -> None:
    path = folder / "competition.yaml"
    run(folder)
    path.write_text(edited(("2026-12-08 23:59", "2026-12-10 23:59")))
    with pytest.raises(CommandError, match="REASON_MISSING"):
        run(folder)
    run(folder, "--reason", "Power cut")
    path.write_text(DEFINITION.replace("version: 1", "version: x"))
    with pytest.raises(CommandError, match="1 fault; nothing was changed"):
        run(folder)
    path.write_bytes(b"\xff")
    with pytest.raises(CommandError, match="not UTF-8"):
        run(folder)
    path.unlink()
    with pytest.raises(CommandError, match="cannot be read"):
        run(folder)


def test_the_catalog_knows_the_scorers_tracks_and_limits() -> None:
    catalog = loading.catalog()
    assert "nvv-t1" in catalog.kinds
    limits = catalog.limits
    assert {"file_bytes", "unpacked_bytes", "text_characters", "tags"} <= limits["nvv-t1"]
    assert {"file_bytes", "unpacked_bytes", "member_bytes"} <= limits["nvv-t2"]
    assert not any("listed_problems" in names for names in limits.values())


def test_the_audit_event_holds_digests_and_no_texts(folder) -> None:
    load(folder)
    payload = json.loads(AuditEvent.objects.get().payload)
    assert payload["version"] == 1
    assert set(payload["references"]) == {"understanding/dev", "understanding/final"}
    assert CANARY not in AuditEvent.objects.get().payload
