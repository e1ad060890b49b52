"""The system calls that a confined bot may make, and why it may not make the others.

Allowed is what programs in Python, C, C++, Rust, Go, Java, JavaScript, Lua, Perl and Bash need to think and
to talk on their standard streams. A call that is not listed here is refused. Some calls are answered by
their arguments; `seccomp` has the tests.

A refusal that an author should know of is noted in the record, once a call (`CallVerdict.noted`). Calls that
runtimes only try, and do without, are not noted.
"""

from __future__ import annotations

import errno
from typing import NamedTuple


class CallVerdict(NamedTuple):
    """The answer to a call: `error` is None if it is made, 0 if it only seems to be."""

    error: int | None
    noted: bool = False


class Group(NamedTuple):
    """Calls with the same answer, for the same reason."""

    verdict: CallVerdict
    why: str
    names: tuple[str, ...]


ALLOW, PRETEND = CallVerdict(None), CallVerdict(0)
REFUSE, REFUSE_AS_ABSENT = CallVerdict(errno.EPERM, noted=True), CallVerdict(errno.ENOSYS, noted=True)
ABSENT, READ_ONLY = CallVerdict(errno.ENOSYS), CallVerdict(errno.EACCES)
OTHERWISE = Group(REFUSE, "no bot needs it, so it is not on the list of what is allowed", ())


def _group(verdict: CallVerdict, why: str, names: str) -> Group:
    return Group(verdict, why, tuple(names.split()))


OWN = (
    _group(ALLOW, "it reads and writes what is open", """
        read write close lseek pread64 pwrite64 readv writev preadv pwritev poll ppoll select pselect6
        dup dup2 dup3
        epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
        eventfd eventfd2 signalfd signalfd4 timerfd_settime timerfd_gettime
        sendto recvfrom recvmsg shutdown getsockname getpeername"""),
    _group(ALLOW, "it opens and looks at files; which ones, Landlock or mounts decide", """
        open openat openat2 stat fstat lstat newfstatat access faccessat faccessat2
        readlink readlinkat getdents getdents64 getcwd chdir fchdir umask"""),
    _group(ALLOW, "it makes and changes files; which ones, Landlock or mounts decide", """
        creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 ftruncate fallocate
        copy_file_range"""),
    _group(ALLOW, "memory of its own", """
        brk munmap mprotect mremap mlock munlock mlockall munlockall mlock2
        pkey_alloc pkey_free pkey_mprotect"""),
    _group(ALLOW, "its own life and threads", """
        execve execveat exit exit_group wait4 waitid set_tid_address set_robust_list gettid getpid
        getppid getpgrp getuid geteuid getgid getegid getgroups getresuid getresgid uname arch_prctl
        getrlimit getrusage times restart_syscall sched_yield
        sched_get_priority_max sched_get_priority_min getrandom"""),
    _group(ALLOW, "its own signals", """
        rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack pause
        """),
    _group(ALLOW, "time, and waiting for it", """
        time gettimeofday nanosleep alarm getitimer setitimer"""),
)  # fmt: skip
WITHOUT_EFFECT = (
    _group(PRETEND, "locks could tell others something; programs that take them go on", "flock"),
    _group(PRETEND, "what of a file is in memory would last from match to match", "fadvise64 readahead"),
    _group(PRETEND, "nothing of a bot's is on a disk, so there is nothing to bring there", """
        fsync fdatasync sync syncfs sync_file_range msync"""),
)  # fmt: skip
TRIED = (
    _group(ABSENT, "runtimes try it and do without; it would go round this list", """
        clone3 io_uring_setup io_uring_enter io_uring_register memfd_create memfd_secret"""),
    _group(ABSENT, "runtimes try it and use stat instead; it tells numbers of mounts", "statx"),
    _group(ABSENT, "runtimes try it and do without; it tells which core the bot has", "getcpu rseq"),
    _group(ABSENT, "runtimes try it and do without; it tells whether a number is some thread's", "capget"),
    _group(ABSENT, "it tells how nice a process is, and so whether it is only being tried", """
        sched_getattr sched_rr_get_interval"""),
    _group(ABSENT, "runtimes try it and do without; where memory lies is the machine's affair", """
        get_mempolicy set_mempolicy set_mempolicy_home_node mbind"""),
    _group(CallVerdict(errno.EINVAL), "runtimes try it and do without; while it waits for a socket it has "
           "the pipe's lock, for which a referee that reads would wait", "sendfile"),
    _group(CallVerdict(errno.EOPNOTSUPP), "files' further attributes; nothing here has any", """
        getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr"""),
)  # fmt: skip
KEPT_FROM_FILES = (
    _group(READ_ONLY, "how full a disk is, is the affair of those who write", "statfs fstatfs"),
    _group(READ_ONLY, "a bot makes files and folders alone", "link linkat symlink symlinkat mknod mknodat"),
    _group(REFUSE, "what stands beside a file would last; files are shortened when they are open", """
        truncate chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat futimesat
        setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr"""),
)  # fmt: skip
ALONE = (
    _group(REFUSE, "a bot starts no processes, threads are allowed", """
        fork vfork setsid setpgid"""),
    _group(REFUSE, "a bot talks on its standard streams alone", "connect bind listen accept accept4"),
    _group(REFUSE, "memory and queues that processes share are a way to talk to other bots", """
        shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl
        mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"""),
)  # fmt: skip
OTHERS = (
    _group(REFUSE_AS_ABSENT, "it tells what of a file is in memory, which lasts from match to match", """
        mincore"""),
    _group(REFUSE_AS_ABSENT, "it hears when others use a file, which is a way to talk to other bots", """
        inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark"""),
    _group(REFUSE_AS_ABSENT, "it takes of what all programs of a user or of the machine share", """
        io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents"""),
    _group(REFUSE, "it reaches into other processes, or takes of what their users share", """
        rt_sigqueueinfo rt_tgsigqueueinfo timer_create
        ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp
        pidfd_open pidfd_getfd pidfd_send_signal move_pages migrate_pages get_robust_list futex_waitv"""),
    _group(REFUSE, "priorities and cores are the referee's", """
        setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr ioprio_set
        ioprio_get"""),
    _group(REFUSE, "it is the administrator's", """
        setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
        mount umount2 pivot_root chroot unshare setns fsopen fsconfig fsmount fspick move_mount open_tree
        mount_setattr swapon swapoff reboot kexec_load kexec_file_load init_module finit_module delete_module
        acct quotactl quotactl_fd syslog settimeofday clock_settime clock_adjtime adjtimex sethostname
        setdomainname iopl ioperm vhangup bpf perf_event_open userfaultfd keyctl add_key request_key
        open_by_handle_at name_to_handle_at personality seccomp landlock_create_ruleset landlock_add_rule
        landlock_restrict_self"""),
)  # fmt: skip
CONFINED = (*OWN, *WITHOUT_EFFECT, *TRIED, *KEPT_FROM_FILES, *ALONE, *OTHERS)
# Where namespaces and mounts confine a bot that may start processes and write to a folder of its own.
FREED = {name for group in (*KEPT_FROM_FILES, *ALONE) for name in group.names}
IN_NAMESPACES = (
    _group(ALLOW, "namespaces and mounts of its own confine it", " ".join(sorted(FREED)) + """
        clock_getres clock_gettime clock_nanosleep timer_create getpgid getpriority getsid
        sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
        kill tgkill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal prlimit64 prctl
        timer_settime timer_gettime timer_getoverrun timer_delete setrlimit sendmsg
        timerfd_create mmap memfd_create sysinfo socket socketpair getsockopt setsockopt pipe pipe2
        capget getcpu rseq seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"""),
    _group(ALLOW, "it has one user and one group there; make sets them before it starts a program", """
        setresuid setresgid"""),
)  # fmt: skip

NOTHING = "nothing"
CORE_IS_TAKEN = "when others have the core, as any clock tells"
NUMBERS_OF_PIPES = "numbers of new pipes, which all processes of a core share: 64 a match"
_TELLS = {
    "where a bot has no stage, which files the machine has, how large and of when": """
        open openat openat2 creat access faccessat faccessat2 readlink readlinkat chdir execve execveat""",
    f"{NUMBERS_OF_PIPES}; where a bot has no stage, which files the machine has, how large and of when": """
        stat fstat lstat newfstatat""",
    "where a bot has no numbers of its own, how many threads others have begun": "getpid gettid clone",
    "where a bot has no stage, which process starts bots": "getppid",
    CORE_IS_TAKEN: """
        time gettimeofday nanosleep clock_gettime clock_nanosleep times getrusage sched_yield timerfd_settime
        timerfd_gettime getitimer setitimer alarm poll ppoll select pselect6 epoll_wait epoll_pwait
        epoll_pwait2 rt_sigtimedwait futex""",
    NUMBERS_OF_PIPES: "pipe pipe2 socketpair",
    "how long a rival thinks, by when its own input comes": "read readv",
}
TELLS = {name: what for what, names in _TELLS.items() for name in names.split()}
"""By call that a bot may make: what it tells of others; of those that are not here it tells `NOTHING`."""
REACHES_CORES = (
    ("membarrier", "global barriers interrupt cores of others, private ones those of the own program",
     "the private commands alone"),
    ("madvise fadvise64", "each core gives back pages where huge ones are gathered or a file's are dropped",
     "refused; without effect"),
    ("sched_setaffinity sched_setscheduler sched_setattr sched_setparam setpriority",
     "a thread is moved by the core that it leaves", "refused"),
    ("move_pages migrate_pages mbind set_mempolicy process_madvise",
     "pages are moved, for which each core gives back those that it holds", "refused"),
    ("bpf perf_event_open init_module finit_module kexec_load userfaultfd ptrace",
     "code of the kernel is changed, or other processes are stopped", "refused"),
    ("setsockopt", "times of packets, which change code of the kernel when they are first wanted",
     "options for kinds, errors and times alone"),
    ("mount umount2 unshare setns pivot_root", "the kernel waits until no core uses what is gone",
     "refused; at the end of a match the launcher does it"),
    ("sync syncfs fsync fdatasync swapon swapoff", "work on each core", "without effect; refused"),
    ("munmap mprotect mremap brk pkey_mprotect", "cores that run the same program forget addresses",
     "a bot has one core; on ARM the processor tells all cores, which nothing closes"),
    ("clone exit", "stacks of ended threads are given back together: an interrupt in some 3,000 threads",
     "at most 4,000 threads a second"),
)  # fmt: skip
"""Calls by which a program may interrupt cores that run others: how, and what keeps a bot from it."""


def verdicts(in_namespaces: bool = False) -> dict[str, Group]:
    """By name of each call that is not answered by its arguments: its group."""
    groups = (*CONFINED, *(IN_NAMESPACES if in_namespaces else ()))
    return {name: group for group in groups for name in group.names}
