"""The system-call policy: which calls a confined bot may make, and why it may not make the others.

Programs in Python, C, C++, Rust, Go, Java, JavaScript, Lua, Perl and Bash may compute and use their standard
streams. Calls that are not listed are refused. `seccomp` checks the arguments of some calls.

Refusals that an author should know of are noted in the record, once for each call (`CallVerdict.noted`);
calls that runtimes try and can do without are not.
"""

from __future__ import annotations

import errno
from typing import NamedTuple


class CallVerdict(NamedTuple):
    """The answer to a call: `error` is None if it is allowed, 0 if it returns success without effect."""

    error: int | None
    noted: bool = False


class Group(NamedTuple):
    """Calls with the same answer, for the same reason."""

    verdict: CallVerdict
    why: str
    names: tuple[str, ...]


ALLOW, PRETEND = CallVerdict(None), CallVerdict(0)
REFUSE, REFUSE_AS_ABSENT = CallVerdict(errno.EPERM, noted=True), CallVerdict(errno.ENOSYS, noted=True)
ABSENT, READ_ONLY = CallVerdict(errno.ENOSYS), CallVerdict(errno.EACCES, noted=True)
OTHERWISE = Group(REFUSE, "no bot needs it, so it is not on the list of allowed calls", ())


def _group(verdict: CallVerdict, why: str, names: str) -> Group:
    """Return the group of the calls in `names`, which are separated by blanks."""
    return Group(verdict, why, tuple(names.split()))


OWN = (
    _group(ALLOW, "it reads and writes open files", """
        read write close lseek pread64 pwrite64 readv writev preadv pwritev poll ppoll select pselect6
        dup dup2 dup3
        epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
        eventfd eventfd2 signalfd signalfd4 timerfd_settime timerfd_gettime
        sendto recvfrom recvmsg shutdown getsockname getpeername"""),
    _group(ALLOW, "it opens and inspects files; Landlock or mounts decide which", """
        open openat openat2 stat fstat lstat newfstatat access faccessat faccessat2
        readlink readlinkat getdents getdents64 getcwd chdir fchdir umask"""),
    _group(ALLOW, "it creates and changes files; Landlock or mounts decide which", """
        creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 ftruncate fallocate
        copy_file_range"""),
    _group(ALLOW, "its own memory", """
        brk munmap mprotect mremap mlock munlock mlockall munlockall mlock2
        pkey_alloc pkey_free pkey_mprotect"""),
    _group(ALLOW, "its own process and threads", """
        execve execveat exit exit_group wait4 waitid set_tid_address set_robust_list gettid getpid
        getppid getpgrp getuid geteuid getgid getegid getgroups getresuid getresgid uname arch_prctl
        getrlimit getrusage times restart_syscall sched_yield
        sched_get_priority_max sched_get_priority_min getrandom"""),
    _group(ALLOW, "its own signals", """
        rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack pause
        """),
    _group(ALLOW, "time, and waiting for it", """
        time gettimeofday nanosleep alarm getitimer setitimer
        timer_settime timer_gettime timer_getoverrun timer_delete"""),
)  # fmt: skip
WITHOUT_EFFECT = (
    _group(PRETEND, "locks are a covert channel; programs that take them continue", "flock"),
    _group(PRETEND, "cached parts of a file would persist from match to match", "fadvise64 readahead"),
    _group(PRETEND, "no file of a bot is on a disk, so there is nothing to sync", """
        fsync fdatasync sync syncfs sync_file_range msync"""),
)  # fmt: skip
TRIED = (
    _group(ABSENT, "runtimes try it and do without; it would bypass this list", """
        clone3 io_uring_setup io_uring_enter io_uring_register memfd_secret"""),
    _group(ABSENT, "runtimes try it and use stat instead; it reveals mount ids", "statx"),
    _group(ABSENT, "runtimes try it and do without; it reveals which core the bot has", "getcpu rseq"),
    _group(ABSENT, "runtimes try it and do without; it reveals which thread ids exist", "capget"),
    _group(ABSENT, "it reveals the nice value, and so whether it is only a trial match", """
        sched_getattr sched_rr_get_interval"""),
    _group(ABSENT, "runtimes try it and do without; the machine decides where memory is", """
        get_mempolicy set_mempolicy set_mempolicy_home_node mbind"""),
    _group(CallVerdict(errno.EINVAL), "runtimes try it and do without; while it waits for a socket it "
           "holds the pipe's lock, which would block a referee that reads", "sendfile"),
    _group(CallVerdict(errno.EOPNOTSUPP), "extended attributes of files; no file here has any", """
        getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr"""),
)  # fmt: skip
KEPT_FROM_FILES = (
    _group(READ_ONLY, "it reveals how full a disk is", "statfs fstatfs"),
    _group(READ_ONLY, "it may create only files and folders", "link linkat symlink symlinkat mknod mknodat"),
    _group(REFUSE, "file metadata would persist; open files can be truncated", """
        truncate chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat futimesat
        setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr"""),
)  # fmt: skip
ALONE = (
    _group(REFUSE, "a bot's processes are stopped and ended as one group", "setsid setpgid"),
    _group(REFUSE, "a bot may use only its standard streams", "connect bind listen accept accept4"),
    _group(REFUSE, "shared memory and queues are a way to talk to other bots", """
        shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl
        mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"""),
)  # fmt: skip
OTHERS = (
    _group(REFUSE_AS_ABSENT, "it is a file in memory, whose number is counted globally, and which only a "
           "control group counts as memory", "memfd_create"),
    _group(REFUSE_AS_ABSENT, "it reveals cached parts of a file, which persist from match to match", """
        mincore"""),
    _group(REFUSE_AS_ABSENT, "it reports others' use of a file, which is a way to talk to other bots", """
        inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark"""),
    _group(REFUSE_AS_ABSENT, "it uses resources shared by all programs of a user or the machine", """
        io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents"""),
    _group(REFUSE, "it accesses other processes, or resources that their users share", """
        rt_sigqueueinfo rt_tgsigqueueinfo
        ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp
        pidfd_open pidfd_getfd pidfd_send_signal move_pages migrate_pages get_robust_list futex_waitv"""),
    _group(REFUSE, "the referee sets priorities and cores", """
        setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr ioprio_set
        ioprio_get"""),
    _group(REFUSE, "only administrators need it", """
        setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
        mount umount2 pivot_root chroot unshare setns fsopen fsconfig fsmount fspick move_mount open_tree
        mount_setattr swapon swapoff reboot kexec_load kexec_file_load init_module finit_module delete_module
        acct quotactl quotactl_fd syslog settimeofday clock_settime clock_adjtime adjtimex sethostname
        setdomainname iopl ioperm vhangup bpf perf_event_open userfaultfd keyctl add_key request_key
        open_by_handle_at name_to_handle_at personality seccomp landlock_create_ruleset landlock_add_rule
        landlock_restrict_self"""),
)  # fmt: skip
CONFINED = (*OWN, *WITHOUT_EFFECT, *TRIED, *KEPT_FROM_FILES, *ALONE, *OTHERS)
# For builds, which namespaces and mounts confine: they may start processes and write to their folder.
FREED = {name for group in (*KEPT_FROM_FILES, *ALONE) for name in group.names}
IN_NAMESPACES = (
    _group(ALLOW, "private namespaces and mounts confine it", " ".join(sorted(FREED)) + """
        clock_getres clock_gettime clock_nanosleep timer_create getpgid getpriority getsid
        sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
        fork vfork kill tgkill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal prlimit64
        prctl setrlimit sendmsg
        timerfd_create mmap memfd_create sysinfo socket socketpair getsockopt setsockopt pipe pipe2
        capget getcpu rseq seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"""),
    _group(ALLOW, "the namespace has one user and one group; make sets them before it starts a program", """
        setresuid setresgid"""),
)  # fmt: skip

NOTHING = "nothing"
CORE_IS_TAKEN = "when others have the core, as with any clock"
NUMBERS_OF_PIPES = "numbers of new pipes, which all processes of a core share: 64 a match"
_REVEALS = {
    "without a stage, which files the machine has, their sizes and times": """
        open openat openat2 creat access faccessat faccessat2 readlink readlinkat chdir execve execveat""",
    f"{NUMBERS_OF_PIPES}; without a stage, which files the machine has, their sizes and times": """
        stat fstat lstat newfstatat""",
    "without a process namespace, how many threads others have started": "getpid gettid clone",
    "without a stage, which process starts bots": "getppid",
    CORE_IS_TAKEN: """
        time gettimeofday nanosleep clock_gettime clock_nanosleep times getrusage sched_yield timerfd_settime
        timerfd_gettime timer_settime timer_gettime timer_getoverrun getitimer setitimer alarm poll ppoll
        select pselect6 epoll_wait epoll_pwait epoll_pwait2 rt_sigtimedwait futex""",
    NUMBERS_OF_PIPES: "pipe pipe2 socketpair",
    "how long a rival thinks, by the time of its own input": "read readv",
}
REVEALS = {name: what for what, names in _REVEALS.items() for name in names.split()}
"""By allowed call: what it reveals about others; calls not listed reveal `NOTHING`."""
REACHES_CORES = (
    ("membarrier", "global barriers interrupt others' cores, private ones those of the own program",
     "only the private commands"),
    ("madvise fadvise64", "each core returns pages when huge pages are formed or a file's pages are dropped",
     "refused; without effect"),
    ("sched_setaffinity sched_setscheduler sched_setattr sched_setparam setpriority",
     "a thread is moved by the core that it leaves", "refused; without effect"),
    ("move_pages migrate_pages mbind set_mempolicy process_madvise",
     "pages are moved, for which each core returns its pages", "refused"),
    ("bpf perf_event_open init_module finit_module kexec_load userfaultfd ptrace",
     "kernel code is changed, or other processes are stopped", "refused"),
    ("setsockopt", "packet timestamps, which change kernel code at first use",
     "only options for kinds, errors and times"),
    ("mount umount2 unshare setns pivot_root", "the kernel waits until no core uses the removed mount",
     "refused; at the end of a match the launcher does it"),
    ("sync syncfs fsync fdatasync swapon swapoff", "work on each core", "without effect; refused"),
    ("munmap mprotect mremap brk pkey_mprotect", "cores that run the same program flush addresses",
     "a bot has one core; on ARM the processor notifies all cores, which nothing prevents"),
    ("clone exit", "stacks of ended threads are returned together: an interrupt in some 3,000 threads",
     "at most 4,000 threads a second"),
)  # fmt: skip
"""Calls that may interrupt others' cores: how, and how a bot is kept from it."""


def verdicts(in_namespaces: bool = False) -> dict[str, Group]:
    """Return, by name, the group of each call, except where arguments decide."""
    groups = (*CONFINED, *(IN_NAMESPACES if in_namespaces else ()))
    return {name: group for group in groups for name in group.names}
