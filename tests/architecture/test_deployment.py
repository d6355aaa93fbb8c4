"""What compose.yaml and the units say holds: nothing open, nothing unpinned, nothing unknown."""

from __future__ import annotations

import configparser
import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.architecture.sources import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
OF_COMPOSE = re.compile(r"\$\{([A-Z0-9_]+)")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return YAML(typ="safe").load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_every_published_port_is_bound_to_loopback(compose: dict[str, Any]) -> None:
    ports = [port for one in compose["services"].values() for port in one.get("ports", [])]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


def test_only_the_proxy_publishes_a_port(compose: dict[str, Any]) -> None:
    assert [name for name, one in compose["services"].items() if "ports" in one] == ["proxy"]


def test_every_part_is_there_and_what_it_waits_for(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {
        "proxy", "prepare", "web", "worker", "judge", "beat", "postgres", "redis", "store",
    }  # fmt: skip
    for name, one in services.items():
        assert set(one.get("depends_on", {})) <= services.keys() - {name}
        for other, wanted in one.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in services[other]


def test_every_image_names_its_version(compose: dict[str, Any]) -> None:
    for one in compose["services"].values():
        assert re.search(r":[\d.]+|:local$", one["image"])
        assert not one["image"].endswith(":latest")


def test_no_secret_stands_in_the_file_and_every_variable_is_told() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    told = (ROOT / "deploy" / "compose.env.example").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([A-Z][A-Z0-9_]+)=", told, re.MULTILINE))
    assert set(OF_COMPOSE.findall(text)) == listed
    secrets = re.findall(r"(?:PASSWORD|SECRET_KEY|ACCESS_KEY): (.+)", text)
    assert secrets
    assert [value for value in secrets if not value.startswith("${")] == []


def test_files_that_compose_and_the_image_name_are_there(compose: dict[str, Any]) -> None:
    mounted = [v for one in compose["services"].values() for v in one.get("volumes", [])]
    named = [volume.split(":")[0] for volume in mounted if volume.startswith("./")]
    run = re.findall(r"deploy/[\w.]+", (ROOT / "compose.yaml").read_text(encoding="utf-8"))
    for path in {*named, *run}:
        assert (ROOT / path).is_file()


def test_the_image_installs_locked_packages_and_runs_as_nobody_special() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "--require-hashes -r requirements.txt" in text
    assert re.search(r"^USER plaudit$", text, re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".env", "var", ".git"} <= set(ignored)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_again_and_may_write_its_own_folder_alone(unit: Any) -> None:
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read(unit, encoding="utf-8")
    service = parsed["Service"]
    assert service["Restart"] == "always"
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] == "plaudit"
    assert service["User"] == "plaudit"
    assert service["ExecStart"].startswith("/opt/plaudit/.venv/bin/python -m ")


def test_every_unit_of_the_target_is_there() -> None:
    target = (ROOT / "deploy" / "systemd" / "plaudit.target").read_text(encoding="utf-8")
    wanted = re.findall(r"(plaudit-\w+)(@?)\d*\.service", target)
    names = {f"{name}{at}.service" for name, at in wanted}
    assert names == {unit.name for unit in UNITS}


def test_the_page_on_operations_names_only_measures_that_exist() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    sources = "".join(
        (ROOT / path).read_text(encoding="utf-8")
        for path in ("grading/services/measures.py", "config/latency.py")
    )
    for name in set(re.findall(r"plaudit_(\w+)", page)):
        assert f'"{name.removesuffix("_bucket")}"' in sources
