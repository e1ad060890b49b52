"""The files that a program's package brings, in a list of packages as dpkg keeps it, and as rpm does."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.forkserver import packages
from arbiter.sandbox.forkserver.packages import package_paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STATUS = """
Package: scheme
Source: scheme-source
Pre-Depends: libc6
Depends: scheme-common (>= 2), boots | other-boots, tools, unknown:any

Package: scheme-doc
Source: scheme-source

Package: scheme-common

Package: star-boots
Provides: boots (= 1)

Package: tools
Priority: required

Package: stranger
"""
LISTS = {
    "scheme": ["/usr/bin/scheme", "/usr/lib/scheme", "/usr/lib/scheme/a.so", "/usr/share/doc/scheme/README"],
    "scheme-doc": ["/usr/lib/scheme", "/usr/lib/scheme/help"],
    "scheme-common:amd64": [
        "/usr/share/schemes", "/usr/share/schemes/common", "/usr/share/schemes/common/lib", "/lib/common", "/lib/common/x",
        "/usr/lib/x86_64-linux-gnu/libcommon.so.1",
    ],
    "star-boots": ["/usr/share/schemes", "/usr/share/schemes/star.boot"],
    "tools": ["/usr/lib/tools", "/usr/lib/tools/x"],
    "stranger": ["/usr/bin/stranger", "/usr/share/schemes", "/usr/share/schemes/stranger"],
}  # fmt: skip
SPEC = """
Name: scheme
Version: 1
Release: 1
Summary: scheme
License: none
BuildArch: noarch
Requires: boots scheme-common glibc
%description
%package common
Summary: common
%description common
%package -n star-boots
Summary: boots
Provides: boots
%description -n star-boots
%package -n glibc
Summary: glibc
%description -n glibc
%install
for file in bin/scheme lib64/scheme/a.so share/doc/scheme/README share/schemes/common/x share/schemes/star lib/glibc/x
do mkdir -p %{buildroot}/usr/${file%/*}; echo > %{buildroot}/usr/$file; done
%files
/usr/bin/scheme
/usr/lib64/scheme
/usr/share/doc/scheme/README
%files common
/usr/share/schemes/common/x
%files -n star-boots
/usr/share/schemes/star
%files -n glibc
/usr/lib/glibc
"""


@pytest.fixture(autouse=True)
def dpkg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A list of packages instead of this machine's."""
    (tmp_path / "info").mkdir()
    (tmp_path / "status").write_text(STATUS.strip())
    for name, paths in LISTS.items():
        (tmp_path / "info" / f"{name}.list").write_text("\n".join(["/.", *paths]) + "\n")
    monkeypatch.setattr(packages, "DPKG", str(tmp_path))
    package_paths.cache_clear()
    yield
    package_paths.cache_clear()


def test_a_program_brings_its_package_and_what_that_needs_folders_as_a_whole() -> None:
    found = package_paths(("/usr/bin/scheme",))
    assert found == (
        "/usr/lib/scheme",
        "/usr/share/schemes/common",
        "/usr/lib/common",
        "/usr/share/schemes/star.boot",
    )


def test_a_program_without_a_package_brings_nothing() -> None:
    assert package_paths(("/usr/bin/scheme2", "/usr/bin/schem")) == ()


def test_without_a_list_of_packages_a_program_brings_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "DPKG", f"{tmp_path}/missing")
    monkeypatch.setattr(packages, "RPM", (f"{tmp_path}/rpm",))
    assert package_paths(("/usr/bin/scheme",)) == ()


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("rpmbuild"), reason="rpmbuild is missing: apt-get install rpm")
def test_without_dpkg_a_program_brings_what_rpm_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scheme.spec").write_text(SPEC)
    rpm = ("rpm", "--dbpath", f"{tmp_path}/db")
    for command in (
        ("rpmbuild", "-bb", "--define", f"_topdir {tmp_path}", f"{tmp_path}/scheme.spec"),
        (*rpm, "--initdb"),
    ):
        subprocess.run(command, check=True, capture_output=True)
    built = map(str, (tmp_path / "RPMS" / "noarch").iterdir())
    subprocess.run((*rpm, "-i", "--justdb", "--nodeps", *built), check=True, capture_output=True)
    monkeypatch.setattr(packages, "DPKG", f"{tmp_path}/missing")
    monkeypatch.setattr(packages, "RPM", (shutil.which("rpm"), *rpm[1:]))
    packages._rpm_packages.cache_clear()
    found = package_paths(("/usr/bin/scheme",))
    packages._rpm_packages.cache_clear()
    assert found == ("/usr/lib64/scheme", "/usr/share/schemes")
