"""The scorer: pure functions that participants, workers and pages all run.

Nothing here imports Django, Celery, a clock or a network; numpy and rapidfuzz are all it needs.
"""

from __future__ import annotations

__version__ = "1.0.0"
