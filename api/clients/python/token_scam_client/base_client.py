"""Requests of the API, repeated while they are refused for a while."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Mapping, Optional

RETRIES_MAX = 4
TIMEOUT_S = 40.0
BACKOFF_S = 0.5
# Whoever is asked to wait longer, as when the quota of the day is used up, gets the error at once.
WAIT_S_MAX = 60.0
TOO_MANY_REQUESTS = 429
# Part of the service was away: what writes may have been done all the same.
AWAY_STATUSES = frozenset({502, 503, 504})


class ApiError(Exception):
    """A refusal of the API, with its status, code, wrong fields and the id of the request."""

    def __init__(self, status: int, body: Mapping[str, Any]):
        super().__init__(f"{status}: {body.get('message', 'no message')}")
        self.status = status
        self.code: Optional[str] = body.get("code")
        self.details = body.get("details", [])
        self.request_id: Optional[str] = body.get("request_id")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key is for the API alone: it is not sent on to where an answer points."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _error_body(error: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        return json.loads(error.read())
    except ValueError:
        return {}


def _wait_s(headers: Optional[Mapping[str, str]], attempt: int) -> float:
    """Seconds until the next attempt: as the API asks, else twice as long each time."""
    asked = (headers or {}).get("Retry-After", "")
    return float(asked) if asked.isdigit() else min(WAIT_S_MAX, BACKOFF_S * 2**attempt)


class BaseClient:
    """
    :param base_url: address of the API, as ``https://api.example``
    :param api_key: a key of the API
    :param retries_max: repetitions of a request that was refused for a while
    :param timeout_s: seconds for one attempt
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        retries_max: int = RETRIES_MAX,
        timeout_s: float = TIMEOUT_S,
    ):
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._retries_max = retries_max
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects)

    def call(
        self,
        method: str,
        path: str,
        path_fields: Mapping[str, Any],
        query: Mapping[str, Any],
        body: Optional[Mapping[str, Any]],
    ) -> Any:
        """The answer of an operation, without fields of the query that are None and of the body that are `...`. Raises ApiError."""
        for name, value in path_fields.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        given = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in query.items()
            if value is not None
        }
        target = f"{path}?{urllib.parse.urlencode(given)}" if given else path
        sent = None
        if body is not None or method in ("POST", "PATCH"):
            sent = {name: value for name, value in (body or {}).items() if value is not ...}
        with self.send(method, target, sent) as response:
            text = response.read().decode()
            is_json = response.headers.get("Content-Type", "").startswith("application/json")
            return json.loads(text) if is_json else text

    def send(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        timeout_s: Optional[float] = None,
    ) -> Any:
        """An open answer, after as many attempts as it takes. Raises ApiError."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-API-Key": self._api_key}
        if data is not None:
            headers["Content-Type"] = "application/json"
        attempt = 0
        while True:
            request = urllib.request.Request(
                self._base_url + path, data=data, headers=headers, method=method
            )
            wait_s = _wait_s(None, attempt)
            try:
                return self._opener.open(request, timeout=timeout_s or self._timeout_s)
            except urllib.error.HTTPError as error:
                wait_s = _wait_s(error.headers, attempt)
                is_refused_for_now = error.code == TOO_MANY_REQUESTS or (
                    method == "GET"
                    and (error.code in AWAY_STATUSES or "Retry-After" in error.headers)
                )
                is_last = attempt >= self._retries_max or wait_s > WAIT_S_MAX
                if not is_refused_for_now or is_last:
                    raise ApiError(error.code, _error_body(error)) from None
                error.close()
            except OSError:
                # Whether the request arrived is not known: only a read is sent again.
                if method != "GET" or attempt >= self._retries_max:
                    raise
            time.sleep(wait_s)
            attempt += 1
