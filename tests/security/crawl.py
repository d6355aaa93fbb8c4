"""Walks a site as one person: every link, form target and address of the URL conf, good and bad."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from django.test import Client

LINKS = {"href", "src", "action", "hx-get", "hx-post", "data-url", "formaction"}
QUERIES = (
    "?page=99999999999999999999&q=%00&sort=__class__&view=xx&rows=yy&utt=en_0001",
    "?seen=x&page=0&q=%ff&state=%ed%a0%80&entrant=1e400&utt=%00&order=-",
)
AT_MOST = 600


@dataclass(frozen=True, slots=True)
class Visit:
    """What one address answered."""

    address: str
    status: int
    text: str


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in LINKS and value]


def links_of(visit: Visit) -> list[str]:
    """Return the addresses on this site that a page names."""
    parser = _Links()
    parser.feed(visit.text)
    absolute = (urlsplit(urljoin(visit.address, link)) for link in parser.found)
    return [
        one._replace(fragment="").geturl()
        for one in absolute
        if one.netloc in {"", "testserver"} and one.scheme in {"", "http"}
    ]


def visit(client: Client, address: str, method: str = "GET", **options: object) -> Visit:
    """Ask once; headers count as part of the text."""
    response = client.generic(method, address, **options)
    body = response.getvalue() if response.streaming else response.content
    head = "\n".join(f"{name}: {value}" for name, value in response.items())
    return Visit(address, response.status_code, f"{head}\n\n{body.decode(errors='replace')}")


def crawl(client: Client, starts: Iterable[str], odd: Iterable[str]) -> Iterator[Visit]:
    """Yield a visit of every address that can be reached, and of `odd` ones with odd queries too."""
    waiting, seen = deque([*starts, *(path + query for path in odd for query in QUERIES)]), set()
    while waiting and len(seen) < AT_MOST:
        address = waiting.popleft()
        if address in seen or "/static/" in address:
            continue
        seen.add(address)
        found = visit(client, address)
        yield found
        if found.status in {301, 302}:
            waiting.append(found.text.split("Location: ", 1)[-1].splitlines()[0])
        if "text/html" in found.text.split("\n\n", 1)[0]:
            waiting.extend(link for link in links_of(found) if "?" not in link)
