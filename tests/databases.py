"""Databases for the tests of the store: SQLite files, and a PostgreSQL server where one can be had.

The server is the one that ARBITER_TEST_POSTGRES names (the address of a database from which others
may be made), or one of our own, started in a temporary folder when the first test wants it, that
listens on a socket there and ends with the tests, however they end. Without either, the tests that
want it are skipped with the reason.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import uuid
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.store import Store
from arbiter.store.address import SCHEME
from arbiter.store.backup import carry
from arbiter.store.sqlite import companions

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = "ARBITER_TEST_POSTGRES"
# Ends the server when it is told to, or when the tests are gone and with them their end of the pipe.
GUARDED = '"$@" & server=$!; trap : TERM; read _; kill -INT $server; wait $server; rm -rf "$PWD"'
# The user `guarded` needs a password, so that a wrong one can be shown.
ACCESS = "local all guarded scram-sha-256\nlocal all all trust\n"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a database on a server on which others may be made."""
    pytest.importorskip("psycopg", reason="no PostgreSQL: psycopg is not installed")
    if given := os.environ.get(GIVEN):
        url = sa.make_url(given).set(drivername="postgresql+psycopg")
        yield url.render_as_string(hide_password=False)
        return
    programs = server_programs()
    if programs is None:
        pytest.skip(f"no PostgreSQL: no initdb on this machine, and {GIVEN} names no server")
    with started(programs) as address:
        yield address


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """The address of a fresh database, dropped after the test."""
    name = f"arbiter_{uuid.uuid4().hex}"
    # A server whose texts are of no encoding would answer in bytes.
    texts = {"client_encoding": "utf8"}
    engine = sa.create_engine(postgres_server, isolation_level="AUTOCOMMIT", connect_args=texts)
    with engine.connect() as connection:
        # Where the server can, a language in whose order marks and capitals count last.
        icu = connection.exec_driver_sql(
            "SELECT 1 FROM pg_collation WHERE collprovider = 'i' LIMIT 1"
        ).scalar()
        version = connection.dialect.server_version_info or (0,)
        language = (
            "LOCALE_PROVIDER icu ICU_LOCALE 'en-u-ka-shifted' LOCALE 'C'" if icu and version >= (15,) else ""
        )
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' {language}")
    yield sa.make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.process)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database; a test that takes it runs on both kinds."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'season.sqlite'}"
    url: str = request.getfixturevalue("postgres")
    return url


def server_programs() -> Path | None:
    """The folder of initdb and postgres; Debian's is not on the PATH."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    if shutil.which("pg_config"):
        said = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=False)
        found.append(Path(said.stdout.strip()))
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    both = [folder for folder in found if (folder / "initdb").exists() and (folder / "postgres").exists()]
    return both[0] if both else None


@contextmanager
def started(programs: Path) -> Iterator[str]:
    """A server in a temporary folder, by its socket there; skips the test if it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="arbiter-postgres-", dir="/tmp"))
    child: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}, "text": True}
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        child |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    words = ["-U", "postgres", "-E", "UTF8", "--auth=trust", "--no-sync"]
    initdb = [programs / "initdb", "-D", folder / "data", *words]
    words = ["-c", "listen_addresses=", "-c", "fsync=off"]
    postgres = [programs / "postgres", "-D", folder / "data", "-k", folder, *words]
    try:
        made = subprocess.run(list(map(str, initdb)), capture_output=True, check=False, **child)
        if made.returncode:
            pytest.skip(f"no PostgreSQL: initdb: {made.stderr.strip()}")
        (folder / "data" / "pg_hba.conf").write_text(ACCESS)
        command = ["sh", "-c", GUARDED, "sh", *map(str, postgres)]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, **child)
        assert server.stdin is not None
        assert server.stderr is not None
        said = []
        for line in server.stderr:
            said.append(line)
            if "ready to accept connections" in line:
                break
        else:
            pytest.skip(f"no PostgreSQL: {''.join(said).strip()}")
        # What it says later is read, or the pipe would fill and stop it.
        reader = threading.Thread(target=server.stderr.read, daemon=True)
        reader.start()
        try:
            yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
        finally:
            server.terminate()
            server.wait()
            server.stdin.close()
            reader.join()
            server.stderr.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_back(address: str, copy: Path) -> None:
    """Move the files of a store away, and put a backup in its place."""
    file = address.removeprefix(SCHEME)
    for name in (file, *companions(file)):
        with suppress(FileNotFoundError):
            Path(name).rename(f"{name}.away")
    with closing(Store(f"{SCHEME}{copy}", create=False)) as old, closing(Store(address)) as new:
        carry(old, new)
