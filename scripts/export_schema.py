"""Writes docs/openapi.json, the document of the API, from the running code.

`--check` changes nothing and ends with 1 when the file is not what the code says. For warnings of the
generator: manage.py spectacular --validate --fail-on-warn
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "openapi.json"


def document() -> dict[str, Any]:
    """Return the document in English; Django must be set up."""
    from django.utils import translation  # noqa: PLC0415 - needs the settings
    from drf_spectacular.generators import SchemaGenerator  # noqa: PLC0415 - needs the settings

    with translation.override("en"):
        generator = SchemaGenerator()  # type: ignore[no-untyped-call]
        made: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


def rendered() -> str:
    """Return the document's text."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the file, or compare it with the code."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django  # noqa: PLC0415 - needs the path

    django.setup()
    wanted = rendered()
    if "--check" in sys.argv:
        if TARGET.exists() and TARGET.read_text(encoding="utf-8") == wanted:
            return 0
        print("docs/openapi.json is not what the API says. Run scripts/export_schema.py.")
        return 1
    TARGET.write_text(wanted, encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
