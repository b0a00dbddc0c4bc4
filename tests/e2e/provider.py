"""A local OpenID provider like Hugging Face's: discovery, consent, token, keys."""

import base64
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "the-space", "its-secret"
SCOPES = "openid profile"
ACCESS_TOKEN = "hf_oauth_x"
"""The access token for the Hub that a signed-in user gets."""


class Provider:
    """An OpenID provider for one user at a time.

    Attributes:
        person: The user in front of the browser, with the claims `sub` and `preferred_username`.
        seen: The requested paths.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.person = {"sub": "1", "preferred_username": "ada"}
        self.seen: list[str] = []
        self._key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"}, private=True)
        self._consents: dict[str, str] = {}

    def environment(self) -> dict[str, str]:
        """Return the environment variables that a Space sets for an app with `hf_oauth: true`."""
        return {
            "SYSTEM": "spaces",
            "SPACE_ID": "someone/workbench",
            "OAUTH_CLIENT_ID": CLIENT_ID,
            "OAUTH_CLIENT_SECRET": CLIENT_SECRET,
            "OAUTH_SCOPES": SCOPES,
            "OPENID_PROVIDER_URL": self.url,
        }

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/oauth/authorize",
            "token_endpoint": f"{self.url}/oauth/token",
            "jwks_uri": f"{self.url}/oauth/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def keys(self) -> dict[str, Any]:
        return {"keys": [self._key.as_dict(private=False)]}

    def consent(self, query: dict[str, list[str]]) -> str:
        """Return the address to redirect the browser to after the user's consent."""
        assert query["client_id"] == [CLIENT_ID]
        code = secrets.token_hex(8)
        self._consents[code] = query["nonce"][0]
        target = query["redirect_uri"][0]
        joint = "&" if "?" in target else "?"
        return target + joint + urlencode({"code": code, "state": query["state"][0]})

    def token(self, form: dict[str, list[str]], authorization: str) -> dict[str, Any]:
        """Return the tokens for a code, which is valid once."""
        assert (
            base64.b64decode(authorization.removeprefix("Basic ")).decode() == f"{CLIENT_ID}:{CLIENT_SECRET}"
        )
        now = int(time.time())
        claims = {
            **self.person,
            "iss": self.url,
            "aud": CLIENT_ID,
            "nonce": self._consents.pop(form["code"][0]),
            "iat": now,
            "exp": now + 3600,
        }
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self._key)
        return {
            "access_token": ACCESS_TOKEN,
            "token_type": "Bearer",
            "expires_in": 3600,
            "scope": SCOPES,
            "id_token": signed,
        }


@contextmanager
def provided() -> Iterator[Provider]:
    """Run a provider while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
            provider.seen.append(path)
            if path == "/oauth/authorize":
                self.send_response(302)
                self.send_header("Location", provider.consent(query))
                self.end_headers()
            else:
                self._answer(provider.keys() if path == "/oauth/jwks" else provider.discovery())

        def do_POST(self) -> None:
            provider.seen.append(self.path)
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer(provider.token(form, self.headers["Authorization"]))

        def _answer(self, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
