// SPDX-License-Identifier: Apache-2.0
#include "md5_internal.h"
#include "md5_steps.h"

#include <string.h>

// The state of a run. The live streams are always the first `live`, so that a run which nears its end
// can go on with fewer vectors.
typedef struct {
    const webarchive_message *messages;
    const uint32_t *order;
    webarchive_md5_digest *digests;
    size_t count;
    size_t taken;
    unsigned live;
    const uint8_t *next[WEBARCHIVE_MD5_MAX_STREAMS];
    size_t blocks[WEBARCHIVE_MD5_MAX_STREAMS];
    size_t message[WEBARCHIVE_MD5_MAX_STREAMS];
    bool in_tail[WEBARCHIVE_MD5_MAX_STREAMS];
    webarchive_md5_states states;
    uint8_t tails[WEBARCHIVE_MD5_MAX_STREAMS][WEBARCHIVE_MD5_MAX_TAIL];
} lane_run;

enum { FEWEST_FOR_VECTORS = 3, UPCOMING = 16 };

static void enter_tail(lane_run *run, unsigned stream) {
    run->blocks[stream] = webarchive_md5_write_tail(&run->messages[run->message[stream]], run->tails[stream]);
    run->next[stream] = run->tails[stream];
    run->in_tail[stream] = true;
}

static size_t message_at(const lane_run *run, size_t place) {
    return run->order != NULL ? run->order[place] : place;
}

// The start of a message which will soon be taken: the kernels only fetch what lies further on. Worth
// half as much speed again with messages of some hundred bytes.
static void prefetch_upcoming(const lane_run *run) {
    if (run->count - run->taken > UPCOMING) {
        const uintptr_t start = (uintptr_t)run->messages[message_at(run, run->taken + UPCOMING)].bytes;
        for (size_t offset = 0; offset < WEBARCHIVE_MD5_PREFETCH; offset += WEBARCHIVE_MD5_BLOCK) {
            __builtin_prefetch((const void *)(start + offset));
        }
    }
}

static void take_message(lane_run *run, unsigned stream) {
    const size_t index = message_at(run, run->taken);
    run->taken++;
    prefetch_upcoming(run);
    run->message[stream] = index;
    run->states.words[0][stream] = WEBARCHIVE_MD5_INITIAL_A;
    run->states.words[1][stream] = WEBARCHIVE_MD5_INITIAL_B;
    run->states.words[2][stream] = WEBARCHIVE_MD5_INITIAL_C;
    run->states.words[3][stream] = WEBARCHIVE_MD5_INITIAL_D;
    run->next[stream] = run->messages[index].bytes;
    run->blocks[stream] = run->messages[index].length / WEBARCHIVE_MD5_BLOCK;
    run->in_tail[stream] = false;
    if (run->blocks[stream] == 0) {
        enter_tail(run, stream);
    }
}

static void read_state(const lane_run *run, unsigned stream, uint32_t state[4]) {
    for (unsigned w = 0; w < 4; w++) {
        state[w] = run->states.words[w][stream];
    }
}

static void write_digest(lane_run *run, unsigned stream, const uint32_t state[4]) {
    webarchive_md5_digest *digest = &run->digests[run->message[stream]];
    memcpy(digest->bytes, state, sizeof digest->bytes);
}

// Fills the place of a stream which has ended with the last live one. Its next block may lie in the
// tail of the place it leaves, which nobody writes to again: no messages wait when this is called.
static void retire(lane_run *run, unsigned stream) {
    const unsigned last = --run->live;
    if (stream == last) {
        return;
    }
    run->next[stream] = run->next[last];
    run->blocks[stream] = run->blocks[last];
    run->message[stream] = run->message[last];
    run->in_tail[stream] = run->in_tail[last];
    for (unsigned w = 0; w < 4; w++) {
        run->states.words[w][stream] = run->states.words[w][last];
    }
}

// Called for a stream which has no blocks left. Returns false if the stream has been retired, and
// another may stand in its place.
static bool refill(lane_run *run, unsigned stream) {
    if (!run->in_tail[stream]) {
        enter_tail(run, stream);
        return true;
    }
    uint32_t state[4];
    read_state(run, stream, state);
    write_digest(run, stream, state);
    if (run->taken != run->count) {
        take_message(run, stream);
        return true;
    }
    retire(run, stream);
    return false;
}

static void advance(lane_run *run, const webarchive_md5_kernel *kernel) {
    const unsigned groups = (run->live + kernel->lanes - 1) / kernel->lanes;
    size_t blocks = run->blocks[0];
    for (unsigned s = 1; s < run->live; s++) {
        blocks = run->blocks[s] < blocks ? run->blocks[s] : blocks;
    }
    // A lane without a message computes what nobody reads, from memory which may be read.
    for (unsigned s = run->live; s < groups * kernel->lanes; s++) {
        run->next[s] = run->next[0];
    }
    kernel->compress_by_groups[groups - 1](&run->states, run->next, blocks);
    for (unsigned s = 0; s < run->live; s++) {
        run->next[s] += blocks * WEBARCHIVE_MD5_BLOCK;
        run->blocks[s] -= blocks;
    }
}

// For the last streams, of which the portable code does two in less time than a vector does all.
static void finish_portable(lane_run *run, unsigned stream) {
    uint32_t state[4];
    read_state(run, stream, state);
    webarchive_md5_compress_portable(state, run->next[stream], run->blocks[stream]);
    if (!run->in_tail[stream]) {
        enter_tail(run, stream);
        webarchive_md5_compress_portable(state, run->next[stream], run->blocks[stream]);
    }
    write_digest(run, stream, state);
}

void webarchive_md5_run_lanes(
    const webarchive_md5_kernel *kernel, const webarchive_message *messages, size_t count,
    const uint32_t *order, webarchive_md5_digest *digests) {
    lane_run run;
    run.messages = messages;
    run.order = order;
    run.digests = digests;
    run.count = count;
    run.taken = 0;
    run.live = count < kernel->streams ? (unsigned)count : kernel->streams;
    memset(&run.states, 0, sizeof run.states); // Idle lanes are computed too: of something defined.
    for (unsigned s = 0; s < run.live; s++) {
        take_message(&run, s);
    }
    while (run.live >= FEWEST_FOR_VECTORS) {
        advance(&run, kernel);
        for (unsigned s = 0; s < run.live;) {
            if (run.blocks[s] != 0 || refill(&run, s)) {
                s++;
            }
        }
    }
    for (unsigned s = 0; s < run.live; s++) {
        finish_portable(&run, s);
    }
}
