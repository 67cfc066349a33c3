"""Client of the token scam detection service; needs nothing but Python 3.9."""

import base64
import hashlib
import hmac
import http.client
import json
import time
import urllib.parse
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Sequence

from .base_client import ApiError
from .operations import Operations

__all__ = ["ApiError", "TokenScamClient", "read_webhook"]

RECONNECT_S = 2.0
# Statuses from here on say that the service is away, not that the key may not listen.
SERVER_ERRORS = 500
# Longer than the pause between two comments of a stream that is alive.
STREAM_TIMEOUT_S = 60.0
# Seconds that the clocks of both sides may differ.
TOLERANCE_S = 300


class TokenScamClient(Operations):
    """A method for every operation of the API, entries of lists, events."""

    def entries(self, read_page: Callable[[Optional[str]], Mapping[str, Any]]) -> Iterator[Any]:
        """
        Every entry of a list, page after page.

        :param read_page: reads one page by its cursor: ``lambda cursor: client.list_tokens(cursor=cursor)``
        """
        cursor = None
        while True:
            page = read_page(cursor)
            yield from page["data"]
            cursor = page.get("pagination", {}).get("next_cursor")
            if cursor is None:
                return

    def export_day(self, what: str, day: str) -> bytes:
        """
        A day of verdicts, tokens or trades as a Parquet file (tier enterprise): GET /api/export. Raises ApiError.

        :param day: in UTC, as ``2026-01-31``
        """
        query = urllib.parse.urlencode({"what": what, "day": day})
        with self.send("GET", f"/api/export?{query}", timeout_s=STREAM_TIMEOUT_S) as response:
            return response.read()

    def events(
        self, types: Optional[Sequence[str]] = None, last_event_id: Optional[str] = None
    ) -> Iterator[Mapping[str, Any]]:
        """
        Events as they come (tier pro), connected again after a break from the last one on. Each comes at least once.

        :param types: kinds of events; all where absent
        :raises ApiError: where the key may not listen
        """
        while True:
            query = {}
            if types is not None:
                query["events"] = ",".join(types)
            if last_event_id is not None:
                query["last_event_id"] = last_event_id
            path = f"/api/events?{urllib.parse.urlencode(query)}"
            try:
                with self.send("GET", path, timeout_s=STREAM_TIMEOUT_S) as response:
                    for block in _blocks(response):
                        last_event_id = block.get("id", last_event_id)
                        # The last block before the service ends a stream is "close": why it does.
                        if "data" in block and block.get("event") != "close":
                            yield json.loads(block["data"])
            except ApiError as error:
                if error.status < SERVER_ERRORS:
                    raise
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(RECONNECT_S)


def _blocks(lines: Iterable[bytes]) -> Iterator[Mapping[str, str]]:
    """The blocks of a text/event-stream; one without data only says where the stream is."""
    block: Dict[str, str] = {}
    for line in lines:
        name, colon, value = line.decode().rstrip("\r\n").partition(":")
        if colon:
            block[name] = value[1:] if value.startswith(" ") else value
        else:
            yield block
            block = {}


def read_webhook(body: bytes, headers: Mapping[str, str], secret: str) -> Mapping[str, Any]:
    """
    Checks that a webhook came from the API (standardwebhooks.com) and reads it.

    :param body: as it arrived, before any parsing
    :param headers: with names in lower case
    :param secret: as shown when the webhook was made: ``whsec_…``
    :raises ValueError: where the signature, or the time, is wrong
    """
    try:
        message_id, sent = headers["webhook-id"], headers["webhook-timestamp"]
        signatures = headers["webhook-signature"].split(" ")
    except KeyError as error:
        raise ValueError(f"a header of the webhook is missing: {error}") from None
    if not sent.isdigit() or abs(time.time() - int(sent)) > TOLERANCE_S:
        raise ValueError("the webhook is too old or from the future")
    key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    signed = f"{message_id}.{sent}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, signature) for signature in signatures):
        raise ValueError("the signature of the webhook is wrong")
    return json.loads(body)
