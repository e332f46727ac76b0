"""Rights of files that are replaced: owner, group, mode, ACL and user attributes stay, or there are fewer rights.

Files with other owners, and other users, are the superuser's; ACLs need a file system that has them. tests/fault/
test_rights.c tries what other users can open meanwhile.
"""

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

OWNER, GROUP, USER, NAMED = 50001, 50101, 50003, 50002
ARRAY = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }".ljust(117) + b"\n" + bytes(12)

COMMANDS = {
    "convert": ["convert", "in.npy", "out"],
    "wrap": ["wrap", "--dtype", "<i4", "--shape", "3", "raw", "out"],
    "unwrap": ["unwrap", "in.npy", "out"],
    "pack": ["pack", "out", "in.npy"],
    "convert an archive": ["convert", "--store", "in.npz", "out"],
}
each_command = pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
superuser = pytest.mark.skipif(os.geteuid() != 0, reason="needs the superuser")


class Place:
    """A directory that all may write to, with the command in it, as other users may not enter the one it is in."""

    def __init__(self, path, command):
        self.path = path
        self.out = path / "out"
        self.command = path / "safenpy"
        shutil.copy(command, self.command)
        path.chmod(0o777)
        (path / "in.npy").write_bytes(ARRAY)
        (path / "raw").write_bytes(bytes(12))
        self.run(["pack", "in.npz", "in.npy"])

    def make(self, mode, acl=None, owner=None, group=None):
        """Makes the file that will be replaced."""
        self.out.write_bytes(b"old")
        self.out.chmod(mode)
        if owner is not None or group is not None:
            os.chown(self.out, -1 if owner is None else owner, -1 if group is None else group)
        if acl is not None:
            self.set_acl("--set", acl)

    def set_acl(self, option, acl, name="out"):
        done = subprocess.run(["setfacl", option, acl, name], cwd=self.path, capture_output=True, text=True)
        if "not supported" in done.stderr:
            pytest.skip("this file system has no ACLs")
        assert done.returncode == 0, done.stderr

    def acl(self, name="out"):
        """The entries of an ACL, or of a mode, in one line."""
        shown = subprocess.run(["getfacl", "-cnE", name], cwd=self.path, capture_output=True, text=True, check=True)
        return ",".join(shown.stdout.split())

    def run(self, words, status=0, umask=-1, **who):
        """Runs the command. Returns what it says."""
        done = subprocess.run([self.command, *words], cwd=self.path, capture_output=True, text=True, umask=umask, **who)
        assert done.returncode == status, done.stderr
        return done.stderr

    def replace(self, words, *options, **how):
        """Replaces the file. Returns what the command says, and what stat says then."""
        before = self.out.stat().st_ino
        said = self.run([words[0], *options, *words[1:]], **how)
        about = self.out.stat()
        assert about.st_ino != before
        assert not [name for name in os.listdir(self.path) if name.startswith(".")]
        return said, about


@pytest.fixture
def place(safenpy):
    with tempfile.TemporaryDirectory(prefix="safenpy-rights-") as path:
        yield Place(Path(path), safenpy)


def mode_of(about):
    return stat.S_IMODE(about.st_mode)


def as_user(user=USER, group=USER):
    return {"user": user, "group": group, "extra_groups": []}


@each_command
def test_mode_stays(place, words):
    for mode in (0o600, 0o640, 0o604, 0o755):
        place.make(mode)
        said, about = place.replace(words)
        assert (said, mode_of(about)) == ("", mode)


@each_command
@superuser
def test_owner_group_and_acl_stay(place, words):
    acl = f"user::rw-,user:{NAMED}:r--,group::---,group:{GROUP}:r--,mask::r--,other::---"
    place.make(0o600, acl, OWNER, GROUP)
    os.setxattr(place.out, "user.note", b"kept")
    os.setxattr(place.out, "user.empty", b"")
    said, about = place.replace(words)
    assert (said, about.st_uid, about.st_gid, place.acl()) == ("", OWNER, GROUP, acl)
    assert {name: os.getxattr(place.out, name) for name in os.listxattr(place.out) if name.startswith("user.")} == {
        "user.note": b"kept", "user.empty": b""}


@superuser
def test_rights_of_a_links_target_stay(place):
    place.make(0o640, owner=OWNER, group=GROUP)
    (place.path / "link").symlink_to("out")
    _, about = place.replace(["convert", "in.npy", "link"])
    assert (about.st_uid, about.st_gid, mode_of(about)) == (OWNER, GROUP, 0o640)
    assert (place.path / "link").is_symlink()


@superuser
def test_set_user_id_is_not_kept(place):
    place.make(0o600, owner=OWNER, group=GROUP)
    place.out.chmod(0o7755)
    _, about = place.replace(COMMANDS["convert"])
    assert (about.st_uid, mode_of(about)) == (OWNER, 0o755)


@each_command
def test_inherited_acl_goes(place, words):
    place.make(0o640)
    place.set_acl("-dm", f"user:{NAMED}:rwx,group::rwx,mask::rwx", ".")
    said, about = place.replace(words)
    assert (said, mode_of(about), place.acl()) == ("", 0o640, "user::rw-,group::r--,other::---")


@each_command
@pytest.mark.parametrize("umask", [0o000, 0o027, 0o077])
@pytest.mark.parametrize("default", [None, f"user:{NAMED}:rwx,group::r-x,mask::rwx,other::---"], ids=["plain", "acl"])
def test_new_file_has_the_rights_of_any_new_file(place, words, umask, default):
    if default is not None:
        place.set_acl("-dm", default, ".")
    subprocess.run(["touch", "any"], cwd=place.path, umask=umask, check=True)
    assert place.run(words, umask=umask) == ""
    assert place.acl() == place.acl("any")
    assert mode_of(place.out.stat()) == mode_of((place.path / "any").stat())


@superuser
@pytest.mark.parametrize("mode, kept", [(0o664, 0o604), (0o640, 0o600), (0o604, 0o600), (0o660, 0o600), (0o646, 0o604)])
def test_lost_group_takes_its_rights_along(place, mode, kept):
    place.make(mode, owner=USER, group=GROUP)
    said, about = place.replace(COMMANDS["convert"], **as_user())
    assert said == "safenpy: out: the group could not be kept: the new group has no rights, others at most the old group's\n"
    assert (about.st_uid, about.st_gid, mode_of(about)) == (USER, USER, kept)


@superuser
@pytest.mark.parametrize("mode, kept", [(0o666, 0o666), (0o466, 0o444), (0o264, 0o220), (0o062, 0o000)])
def test_lost_owner_takes_rights_along(place, mode, kept):
    place.make(mode, owner=OWNER, group=USER)
    said, about = place.replace(COMMANDS["convert"], **as_user())
    assert "safenpy: out: the owner could not be kept: group, others and ACL have at most the old owner's rights\n" in said
    assert (about.st_uid, about.st_gid, mode_of(about)) == (USER, USER, kept)


@superuser
def test_lost_owner_and_group_of_an_acl(place):
    place.make(0o600, f"user::r--,user:{NAMED}:rw-,group::rw-,group:{GROUP}:rw-,mask::rw-,other::rw-", OWNER, GROUP)
    said, _ = place.replace(COMMANDS["convert"], **as_user())
    assert said.count("could not be kept") == 2
    assert place.acl() == f"user::r--,user:{NAMED}:r--,group::---,group:{GROUP}:r--,mask::r--,other::r--"


@superuser
def test_mask_of_an_acl_is_not_the_groups_right(place):
    """Nor what a lost group leaves to others: it could not read, though st_mode says so."""
    place.make(0o600, f"user::rw-,user:{NAMED}:rw-,group::---,mask::rw-,other::r--", USER, GROUP)
    _, about = place.replace(COMMANDS["convert"], **as_user())
    assert place.acl() == f"user::rw-,user:{NAMED}:rw-,group::---,mask::rw-,other::---"
    assert about.st_gid == USER


@each_command
@pytest.mark.parametrize("acl, kept", [
    (f"user::rw-,user:{NAMED}:rw-,group::r--,mask::rw-,other::r--", 0o644),
    (f"user::rw-,user:{NAMED}:rw-,group::rw-,mask::r--,other::---", 0o640),
    (f"user::rw-,user:{NAMED}:---,group::rw-,mask::rw-,other::rw-", 0o600),
    (f"user::rw-,group::rw-,group:{GROUP}:r--,mask::rw-,other::rw-", 0o664),
])
def test_dropped_acl_leaves_no_wider_mode(place, words, acl, kept):
    place.make(0o600, acl)
    said, about = place.replace(words, "--drop-acl")
    assert (said, mode_of(about)) == ("", kept)
    assert len(place.acl().split(",")) == 3


@superuser
def test_file_that_its_writer_cannot_read(place):
    """Its attributes are lost, which is noted; its rights stay."""
    place.make(0o200, owner=USER, group=USER)
    os.setxattr(place.out, "user.note", b"lost")
    said, about = place.replace(COMMANDS["convert"], **as_user())
    assert said == "safenpy: out: not all user attributes (user.*) could be kept\n"
    assert (mode_of(about), about.st_uid) == (0o200, USER)


def test_append_has_no_acl_to_drop(place):
    assert "'--drop-acl'" in place.run(["append", "--drop-acl", "in.npy", "in.npy"], status=2)
