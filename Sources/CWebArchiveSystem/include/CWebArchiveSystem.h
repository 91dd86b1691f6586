// SPDX-License-Identifier: Apache-2.0
#ifndef CWEBARCHIVESYSTEM_H
#define CWEBARCHIVESYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What the system offers and Swift does not import.

// Asks the system to begin writing a part of a file to disk, and does not wait for it: sync_file_range(2) with
// SYNC_FILE_RANGE_WRITE. A hint, no promise: it has no result, and does nothing where there is no such call.
void webarchive_start_writeback(int descriptor, int64_t offset, int64_t length);

// Copies bytes from where one file stands to where another does, sharing blocks where it can: copy_file_range(2). Gives how many,
// or -1 with errno set: ENOSYS where there is no such call.
int64_t webarchive_copy_file_range(int input, int output, int64_t length);

// Whether a file has an access control list beside its permissions.
bool webarchive_has_access_list(int descriptor);

// Gives a file the access control list of another one, or none if that has none. 0, or -1 with errno set.
int webarchive_copy_access_list(int input, int output);

// Whether the file system of a file keeps the numbers of files (inodes) while no process has them open. FAT, network shares of Windows and file systems
// in user space (FUSE) may assign new ones.
bool webarchive_keeps_file_numbers(int descriptor);

// Whether a file is one of Linux's proc file system: only the system makes links there.
bool webarchive_is_in_proc(int descriptor);

#if defined(__linux__)

enum { WEBARCHIVE_LAUNCH_DESCRIPTORS = 8, WEBARCHIVE_NAMESPACE_SOCKETS = 16 };

// A network namespace whose only device is its own loopback: no packet leaves it.
struct webarchive_namespace {
    // Descriptors of the namespaces, closed on exec. `user` is -1 where this process is root's and needs none.
    int user, network;
    // Sockets that listen at 127.0.0.1 inside it, each with a port of its own, closed on exec.
    int sockets[WEBARCHIVE_NAMESPACE_SOCKETS];
    int socket_count;
};

// Makes such a namespace with so many sockets. 0, or an error number: the system may refuse namespaces to this user. It exists as long as a descriptor
// of it, or a process in it.
int webarchive_make_namespace(struct webarchive_namespace *made, int socket_count);

// A program to start.
struct webarchive_launch {
    // The path of the program and its arguments, and its whole environment, each with NULL behind it.
    char *const *arguments;
    char *const *environment;
    // These become 0, 1, 2 and so on in the child, which gets no others.
    const int *descriptors;
    int descriptor_count;
    // A folder whose files the program sees in /etc beside those of the system, or NULL.
    const char *etc;
    // The namespace in which the program runs, or NULL for that of this process.
    const struct webarchive_namespace *inside;
};

// The step at which a program could not be started.
enum webarchive_launch_step {
    WEBARCHIVE_LAUNCH_DONE,
    // Pipes, descriptors, fork(2).
    WEBARCHIVE_LAUNCH_PROCESS,
    // The child's own namespaces: unshare(2). The system may refuse them to this user.
    WEBARCHIVE_LAUNCH_NAMESPACE,
    // What is laid over /etc: mount(2).
    WEBARCHIVE_LAUNCH_MOUNT,
    // execve(2).
    WEBARCHIVE_LAUNCH_EXECUTE,
};

// Starts a program in a process group of its own, with all signals as they are by default. With `etc` it has a mount namespace of
// its own, and unless this process is root's, a user namespace in which its user is the same and has no capabilities. `inside` brings a user namespace
// of that kind along.
// Swift cannot express what happens between fork(2) and execve(2).
enum webarchive_launch_step webarchive_launch(const struct webarchive_launch *launch, pid_t *id, int *error);

#endif

#endif
