"""``privasis gateway``: a proxy on this machine that sends placeholders and puts your values back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.console import err
from privasis.errors import ConfigError, MissingExtraError


def gateway(
    policy: Annotated[Path, typer.Option(help="A TOML file: what is hidden, how, and what stays.")],
    upstream: Annotated[str, typer.Option(help="The OpenAI-compatible endpoint, such as https://host/v1.")],
    host: Annotated[str, typer.Option(help="The address; any but a loopback needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8766,
    token_env: Annotated[
        str, typer.Option(help="Environment variable that holds the bearer token to ask for.")
    ] = "PRIVASIS_TOKEN",
    key_env: Annotated[
        str, typer.Option(help="Environment variable that holds the upstream's key. [default: the client's]")
    ] = "",
    timeout: Annotated[float, typer.Option(help="Seconds that one answer may take.", min=0.1)] = 600.0,
    max_bytes: Annotated[int, typer.Option(help="Bytes of one request at most.", min=1)] = 4 << 20,
) -> int:
    """Serve an OpenAI-compatible proxy that hides your values from its upstream, until Ctrl-C.

    Clients need only another base URL. What the policy names leaves as placeholders, and answers come back
    with your values, streamed ones too. A part that cannot be read is refused, not passed on.
    """
    try:
        from privasis.serve.gateway import GatewayOptions, check_options, run_gateway
        from privasis.serve.policy import read_policy
        from privasis.serve.running import bind, check_address
    except ImportError as error:
        raise MissingExtraError(
            f"this needs: pip install 'privasis[serve]' ({error.name} is missing)."
        ) from None
    token, key = os.environ.get(token_env, ""), os.environ.get(key_env, "")
    if key_env and not key:
        raise ConfigError(f"the environment variable {key_env}, named by --key-env, is empty.")
    options = GatewayOptions(upstream, read_policy(policy), token, key, timeout, max_bytes)
    check_address(host, token, token_env)
    check_options(options)
    bound = bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    err.print(f"base URL: http://{shown}:{bound.getsockname()[1]}/v1; Ctrl-C ends it", highlight=False)
    with suppress(KeyboardInterrupt):
        run_gateway(options, bound)
    return 0
