"""Bind an address and serve an application on it until a signal comes."""

from __future__ import annotations

import ipaddress
import logging
import socket
from typing import Final

import uvicorn

from privasis.errors import ConfigError
from privasis.serve.guard import App
from privasis.serve.limits import Limits

LOOPBACK: Final = "127.0.0.1"
_SHORTEST_TOKEN: Final = 16
_HEAD_BYTES: Final = 16 << 10
_CLOSE_SECONDS: Final = 10


def check_address(host: str, token: str, token_env: str) -> None:
    """Refuse an address that other machines reach, unless a token is asked for.

    Raises:
        ConfigError: No token, or one that can be guessed.
    """
    if token and len(token) < _SHORTEST_TOKEN:
        raise ConfigError(f"the token in {token_env} is too short: at least {_SHORTEST_TOKEN} characters.")
    if not token and not is_loopback(host):
        raise ConfigError(
            f"--host {host} can be reached from other machines. Put a token into {token_env}, "
            f"or stay on {LOOPBACK}."
        )


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def bind(host: str, port: int) -> socket.socket:
    """Bind an address.

    Raises:
        ConfigError: It cannot be bound: taken, not of this machine, not allowed.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise _unusable(host, port, error) from None
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise _unusable(host, port, error) from None
    return bound


def _unusable(host: str, port: int, error: OSError) -> ConfigError:
    return ConfigError(f"{host}:{port} cannot be used: {error.strerror}. Name another --host or --port.")


def server(app: App, limits: Limits) -> uvicorn.Server:
    """Return a server that runs until a signal comes, and then ends what is in work in an orderly way."""
    config = uvicorn.Config(
        app,
        http="h11",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
    )
    logging.getLogger("uvicorn.access").disabled = True  # its lines hold what stands in a URL
    return uvicorn.Server(config)
