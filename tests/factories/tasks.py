"""A task run here and now, as a test asks for it."""

from __future__ import annotations

from typing import Any

from celery import Task


def run(task: Task, *args: Any) -> Any:
    """What `task` returns for `args`; what it raises is raised.

    Not `apply(…).get()`: Celery refuses that inside a task, and marks "inside a task" in one
    variable of the process, which two threads that leave their tasks in turn leave set.
    """
    return task.apply(args=args, throw=True).result
