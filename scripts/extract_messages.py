"""Collects every text that people see into locale/plaudit.pot with Babel; no gettext tools.

`--check` changes nothing and ends with 1 when the file does not hold what the sources say.
Then, for a language: pybabel update -i locale/plaudit.pot -d locale -D django -l zh_Hans
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages import Catalog
from babel.messages.pofile import write_po
from django.template.base import Lexer, TokenType

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "locale" / "plaudit.pot"
PACKAGES = ("accounts", "competition", "config", "grading")
SINGULAR = {"_", "N_", "gettext", "gettext_lazy", "gettext_noop"}
PLURALS = {"ngettext", "ngettext_lazy"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}
Text = str | tuple[str, ...]
Found = tuple[int, Text, str | None]

CONSTANT = r"(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)')"
TRANSLATE = re.compile(rf"^trans(?:late)?\s+{CONSTANT}(?:.*?\scontext\s+{CONSTANT})?")
INLINE = re.compile(rf"_\({CONSTANT}\)")
BLOCK = re.compile(r"^blocktrans(?:late)?\b")
BLOCK_END = re.compile(r"^endblocktrans(?:late)?$")
PLURAL = re.compile(r"^plural$")
CONTEXT = re.compile(rf"\scontext\s+{CONSTANT}")


def unquoted(match: re.Match[str], first: int) -> str | None:
    """Return the text of a quoted constant from group `first` on, per cent doubled as Django does."""
    text = match[first] if match[first] is not None else match[first + 1]
    return None if text is None else text.replace('\\"', '"').replace("\\'", "'").replace("%", "%%")


def of_python(path: Path) -> Iterator[Found]:
    """Yield line, text(s) and context of every gettext call of a module, inside f-strings too."""
    calls = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        given = [part.value for part in call.args if isinstance(part, ast.Constant)]
        texts = [text for text in given if isinstance(text, str)]
        if name in SINGULAR and texts:
            yield call.lineno, texts[0], None
        elif name in PLURALS and texts[1:]:
            yield call.lineno, (texts[0], texts[1]), None
        elif name in IN_CONTEXT and texts[1:]:
            yield call.lineno, texts[1], texts[0]


def of_template(path: Path) -> Iterator[Found]:
    """Yield line, text(s) and context of every translate and blocktranslate tag of a template."""
    tokens = iter(Lexer(path.read_text(encoding="utf-8")).tokenize())
    for token in tokens:
        if token.token_type == TokenType.BLOCK and BLOCK.match(token.contents):
            yield from _of_block(token.contents, token.lineno or 0, tokens)
        elif token.token_type in {TokenType.BLOCK, TokenType.VAR}:
            yield from _of_tag(token.contents, token.lineno or 0)


def _of_tag(contents: str, line: int) -> Iterator[Found]:
    match = TRANSLATE.match(contents)
    if match is not None:
        yield line, unquoted(match, 1) or "", unquoted(match, 3)
    for inline in INLINE.finditer(contents):
        yield line, unquoted(inline, 1) or "", None


def _of_block(opening: str, line: int, tokens: Iterator[object]) -> Iterator[Found]:
    """Yield the text between blocktranslate and its end, placeholders as Django writes them."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        kind, contents = token.token_type, token.contents  # type: ignore[attr-defined]
        if kind == TokenType.BLOCK and BLOCK_END.match(contents):
            break
        if kind == TokenType.BLOCK and PLURAL.match(contents):
            parts.append([])
        elif kind == TokenType.VAR:
            parts[-1].append(f"%({contents.split('|')[0]})s")
        else:
            parts[-1].append(contents.replace("%", "%%"))
    yield line, _text(parts, is_trimmed=" trimmed" in opening), _context(opening)


def _text(parts: list[list[str]], *, is_trimmed: bool) -> Text:
    joined = ["".join(part) for part in parts]
    if is_trimmed:
        joined = [" ".join(line.strip() for line in text.strip().splitlines()) for text in joined]
    return joined[0] if len(joined) == 1 else (joined[0], joined[1])


def _context(opening: str) -> str | None:
    match = CONTEXT.search(opening)
    return None if match is None else unquoted(match, 1)


def collect() -> Catalog:
    """Return every text of the product with the places that say it."""
    catalog = Catalog(project="Plaudit", charset="utf-8")
    python = [(path, of_python) for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    pages = [
        (path, of_template) for suffix in ("html", "txt") for path in (ROOT / "templates").rglob(f"*.{suffix}")
    ]  # fmt: skip
    for path, read in sorted([*python, *pages]):
        for line, text, context in read(path):
            place = (path.relative_to(ROOT).as_posix(), line)
            flags = ("python-format",) if re.search(r"%\(\w+\)[sd]", str(text)) else ()
            catalog.add(text, locations=[place], context=context, flags=flags)
    return catalog


def rendered(catalog: Catalog) -> bytes:
    """Return the bytes of a template catalog: sorted, without dates and line numbers."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, omit_header=True, sort_by_file=True, include_lineno=False, width=0)
    head = b'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return head + buffer.getvalue()


def main() -> int:
    """Write the file, or compare it with the sources."""
    wanted = rendered(collect())
    if "--check" in sys.argv:
        if TARGET.exists() and TARGET.read_bytes() == wanted:
            return 0
        print("locale/plaudit.pot is not what the sources say. Run scripts/extract_messages.py.")
        return 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(wanted)
    print(f"{wanted.count(b'msgid') - 1} texts in {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
