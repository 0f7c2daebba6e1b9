# Made from _async/sharing.py by ./generate. Change that file, not this one.
"""Sharing: tokens with which others reach this session, and nothing else."""

from __future__ import annotations

from .. import proto as pb
from ..options import Seconds, duration
from ..shares import Share
from .part import Part


class Sharing(Part):
    """Hands out tokens and takes them back. Only who made the session, and admins, may."""

    def share(
        self, *, read_only: bool = False, ttl: Seconds | None = None, name: str = ""
    ) -> Share:
        """Makes a token for this session. ``connect(token=…).session()`` opens it.

        It holds for ``ttl``, or as long as the session is there. With ``read_only`` it is for
        looking: no moves, no ``evaluate()``, no ``expressions``.
        """
        request = pb.CreateSessionTokenRequest(
            session_id=self.id, name=name, read_only=read_only, ttl=duration(ttl)
        )
        answer = self._call(self._stubs.sessions.CreateSessionToken, request)
        return Share.of(answer.info, answer.token)

    def shares(self) -> list[Share]:
        """The tokens that hold, oldest first; the first is mostly that of who made the session."""
        request = pb.ListSessionTokensRequest(session_id=self.id)
        answer = self._call(self._stubs.sessions.ListSessionTokens, request)
        return [Share.of(info) for info in answer.tokens]

    def revoke(self, share: Share | str = "", *, all: bool = False) -> int:
        """Takes a token back, by itself or its id, or all; answers with how many there were.

        Streams that were opened with it end at once.
        """
        token_id = share.id if isinstance(share, Share) else share
        request = pb.RevokeSessionTokenRequest(session_id=self.id, token_id=token_id, all=all)
        answer = self._call(self._stubs.sessions.RevokeSessionToken, request)
        return answer.revoked
