"""Connect to a Dask scheduler, with clear errors.

Dask's errors name neither the mistake nor its fix, and a version mismatch fails only at the first call. So
versions are checked over a connection like the client's before a client is made.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

REACH_SECONDS = 10.0
"""The timeout of answers of the scheduler."""
KEYS = "Dask's configuration needs distributed.comm.tls.ca-file, client.cert and client.key"
VOUCH = "distributed.comm.tls.client.cert must be valid and of the scheduler's authority"


async def connect(scheduler: str, on_note: Callable[[str], None]) -> Any:
    """Connect to the scheduler at an address and return the client; ConfigError of one line if that fails.

    `on_note` takes a line if the scheduler's Python is another minor version.
    """
    from distributed import Client
    from distributed.core import rpc

    silence_dask_log()
    arguments = _connection_arguments(scheduler)
    parts = urlsplit(scheduler)
    try:
        # A plain connection first: Dask would retry for long if the port is closed.
        _, writer = await asyncio.wait_for(asyncio.open_connection(parts.hostname, parts.port), REACH_SECONDS)
        writer.close()
        async with rpc(scheduler, connection_args=arguments, timeout=REACH_SECONDS) as there:
            versions = await asyncio.wait_for(there.versions(), REACH_SECONDS)
        dask, python = version_differences(versions)
        if dask:
            message = f"the scheduler at {scheduler} {dask}"
            raise ConfigError(message, hint="install the same version of distributed there and here")
        if python:
            on_note(f"the scheduler at {scheduler} {python}")
        client = Client(scheduler, asynchronous=True, timeout=REACH_SECONDS, set_as_default=False)
        await asyncio.wait_for(client, REACH_SECONDS + 1)
    except ConfigError:
        raise
    except Exception as error:
        reason, hint = await _failure_reason(error, scheduler)
        raise ConfigError(f"no Dask scheduler answers at {scheduler}: {reason}", hint=hint) from None
    return client


def version_differences(versions: Mapping[str, Any]) -> tuple[str, str]:
    """Return how Dask's report of versions differs from this side's, of distributed and of Python.

    Each is "has distributed 2024.8.0, this side 2026.8.0", or "" if they are the same; for Python up to the
    minor version.
    """
    from distributed.versions import get_versions

    theirs, ours = versions["packages"], get_versions()["packages"]
    pairs = [(theirs["distributed"], ours["distributed"])]
    pairs.append((_minor_version(theirs["python"]), _minor_version(ours["python"])))
    said = [f"{one}, this side {other}" if one != other else "" for one, other in pairs]
    return said[0] and f"has distributed {said[0]}", said[1] and f"has Python {said[1]}"


def silence_dask_log() -> None:
    """Drop the log of distributed, tornado and asyncio in this process, and distributed's warnings."""
    prefixes = ("distributed", "tornado", "asyncio")
    for name in {*prefixes, *logging.root.manager.loggerDict}:
        if name.partition(".")[0] in prefixes:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = False
    warnings.filterwarnings("ignore", module="distributed")


def one_line(error: BaseException) -> str:
    """Return the class of an error and the first line of its message."""
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def _minor_version(python: str) -> str:
    return ".".join(python.split(".")[:2])


def _connection_arguments(scheduler: str) -> Any:
    """Read Dask's configured connection arguments and certificates; ConfigError if too few for TLS."""
    from distributed import Security

    try:
        security = Security()
        arguments = security.get_connection_args("client")
    except Exception as error:
        named = [security.tls_ca_file, security.tls_client_cert, security.tls_client_key]
        # Dask also accepts the text of a certificate instead of its file.
        lacking = [file for file in named if file and "\n" not in file and not Path(file).is_file()]
        reason = f"there is no file {lacking[0]}" if lacking else one_line(error)
        raise ConfigError(f"the certificates for {scheduler} cannot be read: {reason}", hint=KEYS) from None
    if scheduler.startswith("tls:") and arguments.get("ssl_context") is None:
        raise ConfigError(f"{scheduler} needs certificates, and none are configured here", hint=KEYS)
    return arguments


async def _failure_reason(error: Exception, scheduler: str) -> tuple[str, str]:
    """Return the reason of a failed connection, and advice or ""; may connect once more, to test for TLS."""
    parts = urlsplit(scheduler)
    if isinstance(error, TimeoutError):
        return f"no answer in {REACH_SECONDS:.0f} s", ""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror, ""
    is_tls = await _speaks_tls(parts.hostname, parts.port)
    if parts.scheme == "tcp":
        if is_tls:
            return "it speaks TLS", f"write tls://{parts.netloc}"
        return one_line(error), "is this the scheduler's own port?"
    if not is_tls:
        return "it does not speak TLS", f"write tcp://{parts.netloc}, or start it with certificates"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            hint = "distributed.comm.tls.ca-file names another authority, or the certificate is out of date"
            return f"its certificate is refused here: {cause.verify_message}", hint
        if "_ALERT_" in str(cause):
            alert = str(cause).partition("_ALERT_")[2].partition("]")[0]
            return f"it refuses this side's certificate: {alert.lower().replace('_', ' ')}", VOUCH
        cause = cause.__cause__ or cause.__context__
    # The alert may be lost if the connection is closed right after it.
    return "it closes the connection, as it does where it refuses a certificate", VOUCH


async def _speaks_tls(host: str | None, port: int | None) -> bool:
    """Connect by TLS, without a check of the certificate; False if that fails."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        connection = asyncio.open_connection(host, port, ssl=context)
        _, writer = await asyncio.wait_for(connection, REACH_SECONDS)
    except OSError:
        return False
    writer.close()
    return True
