"""Archives as somebody might have changed them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"


def altered(
    path: Path,
    changes: Mapping[str, Callable[[bytes], bytes]],
    *,
    to: Path,
    head: Mapping[str, Any] | None = None,
    rehash: bool = False,
) -> Path:
    """Return a copy with members (and the manifest's head) changed; `rehash` mends the manifest."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(to, "w") as copy:
        manifest = json.loads(source.read(MANIFEST)) | dict(head or {})
        for member in manifest["members"]:
            content = source.read(member["name"])
            content = changes.get(member["name"], bytes)(content)
            copy.writestr(member["name"], content)
            if rehash:
                member["size"] = len(content)
                member["sha256"] = hashlib.sha256(content).hexdigest()
        copy.writestr(MANIFEST, json.dumps(manifest))
    return to
