from __future__ import annotations

import statistics

from tests.architecture.sources import Function, functions, modules, name, suite


def lines(function: Function) -> int:
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def test_no_function_is_longer_than_60_lines() -> None:
    long = {
        f"{name(path)}:{function.lineno} {function.name}": lines(function)
        for path in [*modules(), *suite()]
        for function in functions(path)
        if lines(function) > 60
    }
    assert long == {}


def test_the_median_function_has_fewer_than_8_lines() -> None:
    lengths = [lines(function) for path in modules() for function in functions(path)]
    assert statistics.median(lengths) < 8


def test_every_module_has_fewer_than_500_lines() -> None:
    # participants get the client as one file, whatever it holds
    most = {"plaudit": 1250}
    long = {
        name(path): count
        for path in [*modules(), *suite()]
        if (count := len(path.read_text(encoding="utf-8").splitlines()))
        >= most.get(name(path), 500)
    }
    assert long == {}
