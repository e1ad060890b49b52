/* Attacks that take a machine's own instructions: `raw NAME`. Each would end in a child that sleeps.
 *
 * int80: fork by the gate of 32-bit programs (x86 alone). x32: fork by its number of the x32 kind.
 * clone: fork by clone(2), past the C library. sibling: the same with the bot's parent as the parent. vfork: vfork(2).
 * Each says how it went on standard error, and ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long by_gate(void) {
#ifdef __x86_64__
    long result = 2;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
    if (result < 0) {
        errno = (int)-result;
        result = -1;
    }
    return result;
#else
    errno = ENOSYS;
    return -1;
#endif
}

static long by_vfork(void) {
    const pid_t child = vfork();
    if (child == 0) _exit(0);
    return child;
}

static const char *name_of(int error) {
    return error == EPERM ? "EPERM" : error == ENOSYS ? "ENOSYS" : strerror(error);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    long result = -1;
    errno = EINVAL;
    if (!strcmp(name, "int80")) result = by_gate();
    if (!strcmp(name, "x32")) result = syscall(0x40000000 + 57);
    if (!strcmp(name, "clone")) result = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!strcmp(name, "sibling")) result = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (!strcmp(name, "vfork")) result = by_vfork();
    if (result == 0) {
        sleep(600);
        _exit(0);
    }
    fprintf(stderr, "%s: %s\n", name, result < 0 ? name_of(errno) : "allowed");
    return 7;
}
