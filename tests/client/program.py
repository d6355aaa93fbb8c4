"""The participants' client as a module: one file without an ending."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from types import ModuleType

from tests.architecture.sources import ROOT


def load() -> ModuleType:
    """Return the client, loaded once."""
    if "plaudit_client" not in sys.modules:
        loader = importlib.machinery.SourceFileLoader("plaudit_client", str(ROOT / "plaudit"))
        loader.set_data = lambda *args, **kwargs: None  # no byte code beside it
        spec = importlib.util.spec_from_loader("plaudit_client", loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules["plaudit_client"] = module
        loader.exec_module(module)
    return sys.modules["plaudit_client"]
