// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CWebArchiveSystem.h"
#include "user_maps.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// What the child does between fork and execve. All of it is written before the fork, for the child may allocate nothing: another
// thread may have held the lock of the allocator.
struct plan {
    const struct webarchive_launch *launch;
    char overlay[4200];
    struct webarchive_user_maps maps;
    bool in_user_namespace;
    int status;
};

static enum webarchive_launch_step lay_over_etc(const struct plan *plan) {
    if (unshare(CLONE_NEWNS | (plan->in_user_namespace ? CLONE_NEWUSER : 0)) != 0) return WEBARCHIVE_LAUNCH_NAMESPACE;
    if (plan->in_user_namespace) {
        // The same user inside. Its capabilities end at execve.
        if (!webarchive_write_user_maps(&plan->maps)) return WEBARCHIVE_LAUNCH_NAMESPACE;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return WEBARCHIVE_LAUNCH_MOUNT;
    if (mount("webarc", "/etc", "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, plan->overlay) != 0)
        return WEBARCHIVE_LAUNCH_MOUNT;
    return WEBARCHIVE_LAUNCH_DONE;
}

static void close_between(unsigned first, unsigned last) {
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
    long limit = sysconf(_SC_OPEN_MAX);
    for (unsigned number = first; number <= last && number < limit; number++) close((int)number);
}

static enum webarchive_launch_step become(struct plan *plan) {
    const struct webarchive_launch *launch = plan->launch;
    if (setpgid(0, 0) != 0) return WEBARCHIVE_LAUNCH_PROCESS;
    if (launch->inside) {
        // The user's first, for its capabilities permit the other.
        const struct webarchive_namespace *inside = launch->inside;
        if (inside->user >= 0 && setns(inside->user, CLONE_NEWUSER) != 0) return WEBARCHIVE_LAUNCH_NAMESPACE;
        if (setns(inside->network, CLONE_NEWNET) != 0) return WEBARCHIVE_LAUNCH_NAMESPACE;
    }
    if (launch->etc) {
        enum webarchive_launch_step step = lay_over_etc(plan);
        if (step != WEBARCHIVE_LAUNCH_DONE) return step;
    }
    // First beyond the numbers that they will have, so that none overwrites another.
    int count = launch->descriptor_count;
    int moved[WEBARCHIVE_LAUNCH_DESCRIPTORS];
    plan->status = fcntl(plan->status, F_DUPFD_CLOEXEC, count);
    if (plan->status < 0) return WEBARCHIVE_LAUNCH_PROCESS;
    for (int index = 0; index < count; index++) {
        moved[index] = fcntl(launch->descriptors[index], F_DUPFD_CLOEXEC, count);
        if (moved[index] < 0) return WEBARCHIVE_LAUNCH_PROCESS;
    }
    for (int index = 0; index < count; index++)
        if (dup2(moved[index], index) < 0) return WEBARCHIVE_LAUNCH_PROCESS;
    // The sockets of the server, above all: a browser that outlives this process must not hold the port.
    close_between((unsigned)count, (unsigned)plan->status - 1);
    close_between((unsigned)plan->status + 1, ~0U);
    // webarc ignores what a terminal and a service manager send; the browser must not.
    for (int number = 1; number < NSIG; number++)
        if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(launch->arguments[0], launch->arguments, launch->environment);
    return WEBARCHIVE_LAUNCH_EXECUTE;
}

enum webarchive_launch_step webarchive_launch(const struct webarchive_launch *launch, pid_t *id, int *error) {
    // That of `inside` has the capabilities for mounts.
    struct plan plan = {
        .launch = launch, .in_user_namespace = geteuid() != 0 && !(launch->inside && launch->inside->user >= 0)};
    *error = EINVAL;
    if (launch->descriptor_count > WEBARCHIVE_LAUNCH_DESCRIPTORS) return WEBARCHIVE_LAUNCH_PROCESS;
    if (launch->etc) {
        // Those are signs of the list of folders.
        if (strpbrk(launch->etc, ":,\\\"")) return WEBARCHIVE_LAUNCH_MOUNT;
        int length = snprintf(plan.overlay, sizeof plan.overlay, "lowerdir=%s:/etc", launch->etc);
        if (length >= (int)sizeof plan.overlay) return WEBARCHIVE_LAUNCH_MOUNT;
    }
    plan.maps = webarchive_user_maps();

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return WEBARCHIVE_LAUNCH_PROCESS;
    }
    plan.status = ends[1];
    // No handler of this process runs in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        int answer[2] = {become(&plan), errno};
        // A pipe takes as little as this at once, or its reader is gone.
        (void)!write(plan.status, answer, sizeof answer);
        _exit(127);
    }
    int fork_error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    int answer[2] = {WEBARCHIVE_LAUNCH_DONE, 0};
    ssize_t length = 0;
    if (child > 0)
        while ((length = read(ends[0], answer, sizeof answer)) < 0 && errno == EINTR) {}
    close(ends[0]);
    if (child < 0) {
        *error = fork_error;
        return WEBARCHIVE_LAUNCH_PROCESS;
    }
    if (length == sizeof answer) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        *error = answer[1];
        return (enum webarchive_launch_step)answer[0];
    }
    *id = child;
    *error = 0;
    return WEBARCHIVE_LAUNCH_DONE;
}

#endif
