"""axe-core on every state that a rater can see, and a name for every control of it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from tests.browser.rating_states import WALKS, Scene
from tests.browser.test_accessibility import faults_of
from tests.factories.listening import make_listening

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

NAMELESS = """[...document.querySelectorAll("main input:not([type=hidden]), main button, main textarea")]
    .filter((one) => one.getClientRects().length)
    .filter((one) => {
        const words = [one.getAttribute("aria-label"), ...[...(one.labels ?? [])].map((label) => label.textContent)];
        if (one.localName === "button") words.push(one.textContent);
        return !words.some((text) => text?.trim());
    })
    .concat([...document.querySelectorAll("main [type=radio]")]
        .filter((one) => !one.closest("fieldset")?.querySelector("legend")?.textContent.trim()))
    .map((one) => one.outerHTML)"""


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_no_state_has_a_serious_fault_or_a_control_without_a_name(
    walk, open_page, live_server, settings, tmp_path
):
    settings.PUBLIC_FILES, settings.HIDDEN_FILES = tmp_path / "files", tmp_path / "hidden"
    found: dict[str, list[str]] = {}

    def look(page, name: str) -> None:
        found[name] = faults_of(page) + page.evaluate(NAMELESS)

    listening = make_listening(now=timezone.now())
    competition = listening.protocol.selection.phase.track.competition
    competition.texts = {"en": {"title": "Challenge"}}
    competition.save(update_fields=["texts"])
    page = open_page("/", fails=True, reduced_motion="reduce")
    walk(Scene(listening, page, live_server.url, look))
    assert found
    assert {name: faults for name, faults in found.items() if faults} == {}
