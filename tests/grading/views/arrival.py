"""Stands in for the server's guard: the headers of every request were read at one moment."""

from __future__ import annotations

from tests.factories.grading import NOW


class ArrivedAtNoon:
    """Sets the moment of arrival as the guard's stamp does."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        request.arrived_at = NOW
        return self.get_response(request)
