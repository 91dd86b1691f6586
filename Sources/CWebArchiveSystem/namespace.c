// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CWebArchiveSystem.h"
#include "user_maps.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// Only a process with one thread may enter a user namespace: a child makes all, passes the descriptors on, and ends.

enum { MOST = WEBARCHIVE_NAMESPACE_SOCKETS + 2 };

union control {
    char bytes[CMSG_SPACE(sizeof(int) * MOST)];
    struct cmsghdr header;
};

static bool raise_loopback(void) {
    struct ifreq request = {.ifr_name = "lo"};
    int socket_of_device = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_of_device < 0) return false;
    bool is_up = ioctl(socket_of_device, SIOCGIFFLAGS, &request) == 0;
    request.ifr_flags |= IFF_UP;
    is_up = is_up && ioctl(socket_of_device, SIOCSIFFLAGS, &request) == 0;
    int error = errno;
    close(socket_of_device);
    errno = error;
    return is_up;
}

static int listen_on_loopback(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0)
        return -1;
    return listener;
}

// Sends the descriptors with the number 0, or an error number alone.
static void make(int channel, int socket_count, bool needs_user, const struct webarchive_user_maps *maps) {
    int numbers[MOST], count = 0, error = 0;
    if (unshare(CLONE_NEWNET | (needs_user ? CLONE_NEWUSER : 0)) != 0
        || (needs_user && !webarchive_write_user_maps(maps)) || !raise_loopback())
        error = errno;
    if (!error) {
        if (needs_user) numbers[count++] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
        numbers[count++] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
        for (int index = 0; index < socket_count; index++) numbers[count++] = listen_on_loopback();
        for (int index = 0; index < count && !error; index++)
            if (numbers[index] < 0) error = errno ? errno : EMFILE;
    }
    struct iovec content = {.iov_base = &error, .iov_len = sizeof error};
    union control control;
    struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
    if (!error) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
        memcpy(CMSG_DATA(header), numbers, sizeof(int) * (size_t)count);
    }
    (void)!sendmsg(channel, &message, MSG_NOSIGNAL);
}

// Receives up to MOST descriptors, and says how many; -1 with errno set.
static int receive(int channel, int *numbers) {
    int error = EIO, count = 0;
    struct iovec content = {.iov_base = &error, .iov_len = sizeof error};
    union control control;
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t length;
    while ((length = recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {}
    if (length < 0) return -1;
    struct cmsghdr *header = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(numbers, CMSG_DATA(header), sizeof(int) * (size_t)count);
    }
    if (length == sizeof error && !error) return count;
    for (int index = 0; index < count; index++) close(numbers[index]);
    errno = length == sizeof error ? error : EIO;
    return -1;
}

int webarchive_make_namespace(struct webarchive_namespace *made, int socket_count) {
    if (socket_count < 0 || socket_count > WEBARCHIVE_NAMESPACE_SOCKETS) return EINVAL;
    bool needs_user = geteuid() != 0;
    struct webarchive_user_maps maps = webarchive_user_maps();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    // No handler of this process runs in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        make(ends[1], socket_count, needs_user, &maps);
        _exit(0);
    }
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    int numbers[MOST], count = -1;
    if (child > 0) {
        count = receive(ends[0], numbers);
        error = errno;
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(ends[0]);
    if (count < 0) return error;
    int next = 0;
    if (count != socket_count + 1 + (needs_user ? 1 : 0)) {
        for (int index = 0; index < count; index++) close(numbers[index]);
        return EMFILE;
    }
    made->user = needs_user ? numbers[next++] : -1;
    made->network = numbers[next++];
    made->socket_count = socket_count;
    memcpy(made->sockets, numbers + next, sizeof(int) * (size_t)socket_count);
    return 0;
}

#endif
