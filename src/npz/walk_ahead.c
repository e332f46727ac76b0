/* walk_ahead.c: a block of a deflate stream walked through at several places at once.                    NPZ-DATA-007
 * Proves nothing. Leaves the stream to walk.c.
 *
 * One walk waits for each look-up before it can begin the next one. So others begin further on, at guessed bits, and all
 * go on in one loop. What they find may be nonsense, for a guess seldom hits the beginning of a codeword. But codes fall
 * into step: after some codewords such a walk is where the first one will come by, too. From a bit and a table, there is
 * one way on. So if the first walk comes to where another one has been, it goes on from where that one is now; if it
 * does not, what the others found is dropped. A guess changes the time that a walk takes, never what it finds. */
#include "npz/walk.h"

/* Asked alone before it is looked whether others may help. */
#define ALONE 64u

/* Bits of a step at most: of two entries, and of a codeword that no table tells, with those behind it. */
#define STEP_BITS (2 * 24 + 28)

/* So often a walk asks before it is given up that it meets the next one. Most fall into step sooner, or never do. */
#define MOST_TRIES 128u

/* A trace is of spots, each as one number: bits above these are the table. */
#define TRACE_BITS 30u
#define TRACE_MASK ((1u << TRACE_BITS) - 1)

static uint32_t snpy_walk_mark(const snpy_walk_spot *spot)
{
    return (uint32_t)spot->place + (spot->at << (TRACE_BITS - SNPY_TABLE_BITS));
}

/* Asks twice. Returns what both entries say together. */
static inline uint32_t snpy_walk_step(const snpy_walk *walk, snpy_walk_spot *spot)
{
    uint64_t bits = snpy_walk_load(walk->stream + spot->place / 8) >> spot->place % 8;
    const uint32_t one = walk->table[spot->at + (bits & SNPY_TABLE_MASK)];
    bits >>= SNPY_ENTRY_SKIP(one);
    const uint32_t two = walk->table[SNPY_ENTRY_NEXT(one) + (bits & SNPY_TABLE_MASK)];
    spot->place += SNPY_ENTRY_SKIP(one) + SNPY_ENTRY_SKIP(two);
    spot->at = SNPY_ENTRY_NEXT(two);
    return one | two;
}

/* All walks go on, side by side. They are copies, so that they can be kept in registers. */
static void snpy_walk_together(snpy_walk *walk, snpy_walk_spot *spots)
{
    snpy_walk_spot a = spots[0];
    snpy_walk_spot b = spots[1];
    snpy_walk_spot c = spots[2];
    snpy_walk_spot d = spots[3];
    for (unsigned i = 0; i < walk->steps; i++) {
        walk->traces[1][i] = snpy_walk_mark(&b);
        walk->traces[2][i] = snpy_walk_mark(&c);
        walk->traces[3][i] = snpy_walk_mark(&d);
        uint32_t said = snpy_walk_step(walk, &a);
        said |= snpy_walk_step(walk, &b);
        said |= snpy_walk_step(walk, &c);
        said |= snpy_walk_step(walk, &d);
        if (!(said & SNPY_ENTRY_RARE)) continue;
        spots[0] = a;
        spots[1] = b;
        spots[2] = c;
        spots[3] = d;
        for (unsigned k = 0; k < SNPY_WALKS; k++) snpy_walk_rare(walk, &spots[k]);
        a = spots[0];
        b = spots[1];
        c = spots[2];
        d = spots[3];
    }
    spots[0] = a;
    spots[1] = b;
    spots[2] = c;
    spots[3] = d;
}

/* Whether a walk has been at a spot. Its trace ascends. */
static bool snpy_walk_has_been(const uint32_t *trace, unsigned steps, uint64_t origin, const snpy_walk_spot *spot)
{
    const uint32_t wanted = snpy_walk_mark(spot) - (uint32_t)origin;
    unsigned low = 0;
    unsigned high = steps;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (((trace[middle] - (uint32_t)origin) & TRACE_MASK) < (wanted & TRACE_MASK))
            low = middle + 1;
        else
            high = middle;
    }
    return low < steps && trace[low] - (uint32_t)origin == wanted;
}

/* Goes on to where another walk has been, and then to where it is. Returns whether there is such a spot. */
static bool snpy_walk_join(const snpy_walk *walk, unsigned other, uint64_t origin, const snpy_walk_spot *end,
                           snpy_walk_spot *spot)
{
    for (unsigned tries = 0; tries < MOST_TRIES && spot->at != SNPY_AT_END && spot->place <= end->place; tries++) {
        if (snpy_walk_has_been(walk->traces[other], walk->steps, origin, spot)) {
            *spot = *end;
            return true;
        }
        snpy_walk_on(walk, spot);
    }
    return false;
}

/* Whether all that the walks may come to lies in the stream. */
static bool snpy_walk_has_room(const snpy_walk *walk, uint64_t place)
{
    const uint64_t bits = (SNPY_WALKS - 1) * walk->gap + (uint64_t)walk->steps * STEP_BITS + 64;
    return place + bits <= (uint64_t)walk->size * 8;
}

/* Code in which walks do not fall into step is walked through alone, for longer each time. */
static void snpy_walk_learn(snpy_walk *walk, uint64_t advance, bool is_over, bool has_met)
{
    if (is_over) return;
    walk->gap = advance - advance / 8; /* so that each comes to where the next one has fallen into step */
    walk->alone = has_met ? 0 : walk->alone < ALONE * walk->steps ? 2 * walk->alone + walk->steps : walk->alone;
}

unsigned snpy_walk_ahead(snpy_walk *walk, snpy_walk_spot *spot)
{
    snpy_walk_spot spots[SNPY_WALKS];
    const uint64_t origin = spot->place;
    unsigned joined = 1;
    if (walk->steps == 0 || !snpy_walk_has_room(walk, origin)) return ALONE;
    spots[0] = *spot;
    for (unsigned i = 1; i < SNPY_WALKS; i++) {
        spots[i].place = origin + i * walk->gap;
        spots[i].at = SNPY_AT_LITERAL;
        spots[i].is_bad = false;
    }
    snpy_walk_together(walk, spots);
    *spot = spots[0];
    while (joined < SNPY_WALKS && snpy_walk_join(walk, joined, origin, &spots[joined], spot)) joined++;
    snpy_walk_learn(walk, spots[0].place - origin, spot->at == SNPY_AT_END, joined > 1);
    return walk->alone;
}
