"""Whose credential a request carries: a token of the workspace, or a signed token (JWT) of the operator's issuer."""

from __future__ import annotations

from engine.access.oidc import Issuer, is_safe, is_token
from engine.access.principals import is_secret
from engine.domain.principal import Identity
from engine.errors import NotFound, SettingsError
from engine.operations.keeper import Services
from engine.settings import Settings


class Authentication:
    """Recognises credentials, for every door."""

    def __init__(self, settings: Settings) -> None:
        """Raises SettingsError for an issuer without an audience, and for one whose keys could be forged on the way."""
        self._issuer: Issuer | None = None
        url, audience = settings.oidc_issuer, settings.oidc_audience
        if url is None:
            return
        if not audience:
            raise SettingsError("NEURIGRAPH_OIDC_ISSUER needs NEURIGRAPH_OIDC_AUDIENCE.")
        if not is_safe(url):
            raise SettingsError("NEURIGRAPH_OIDC_ISSUER must be an https URL, or one of this machine.")
        self._issuer = Issuer(url, audience, claim=settings.oidc_claim, skew=settings.oidc_skew_s)

    async def identity(self, services: Services, workspace: str, credential: str) -> Identity | None:
        """The identity of the credential, if it is valid. Raises StoreUnavailable, ProviderUnavailable."""
        if is_secret(credential):
            return await services.tokens.authenticate(credential)
        if self._issuer is None or not is_token(credential):
            return None
        handle = await self._issuer.handle_of(credential)
        if handle is None:
            return None
        try:
            user = await services.users.find(handle)
        except NotFound:
            return None
        return Identity("user", user.user_id, workspace)
