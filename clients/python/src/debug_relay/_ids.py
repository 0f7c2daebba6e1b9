"""Ids of sessions."""

from __future__ import annotations

import hashlib
import re
import secrets

#: The server's own: letters and digits that nobody takes for one another.
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"

#: What the token of a session begins with. Its session's id follows, then its secret.
TOKEN_PREFIX = "drs_"


def new_session_id(owner: str, request_id: str) -> str:
    """An id for a new session, as the server would make it.

    For one request of one owner it is always the same. So a proxy sends a repeat to the replica
    that has the session already.
    """
    if request_id:
        drawn = hashlib.sha256(f"{owner}\n{request_id}".encode()).digest()[:8]
    else:
        drawn = secrets.token_bytes(8)
    return "s-" + "".join(ALPHABET[byte % len(ALPHABET)] for byte in drawn)


def is_session_id(text: str) -> bool:
    return re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", text) is not None


def session_of(token: str) -> str:
    """The session that a token is for; empty for a token that is not for one."""
    if not token.startswith(TOKEN_PREFIX):
        return ""
    session_id = token[len(TOKEN_PREFIX) :].rpartition("_")[0]
    return session_id if is_session_id(session_id) else ""
