/* path.c: the parts of a path, or a whole path.                                                        NPY-PKL-013
 * Proves that it stays inside the text. Leaves what a system does with a path to its reader. */
#include "core/object/arguments.h"

/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_windows(int32_t role)
{
    return role == SNPY_ROLE_WINDOWS_PATH || role == SNPY_ROLE_PURE_WINDOWS_PATH;
}

/* Whether a character may be in a part. A colon is for drives: after a name it is for streams. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures end: \result ==> point != SNPY_LEAF_END;
 */
static bool is_of_part(uint32_t point, bool windows)
{
    if (point == SNPY_LEAF_END || point == '/') return false;
    return !windows || (point != '\\' && point != ':');
}

/* Reads a part. Returns false if it is empty or a dot. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf) && leaf->end == \old(leaf->end);
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
    ensures forward: \result ==> leaf_left(*leaf) < \old(leaf_left(*leaf));
 */
static bool take_part(const uint8_t *pickle, struct snpy_leaf *leaf, bool windows)
{
    bool is_dot = leaf->point == '.';
    uint64_t count = 0;
    /*@ loop invariant leaf: leaf_ok(pickle, *leaf) && leaf->end == \at(leaf->end, Pre);
        loop invariant left: count + leaf_left(*leaf) <= \at(leaf_left(*leaf), Pre);
        loop assigns count, leaf->pos, leaf->point;
        loop variant leaf_left(*leaf); */
    while (is_of_part(leaf->point, windows)) {
        snpy_leaf_step(pickle, leaf);
        count++;
    }
    return count > 1 || (count == 1 && !is_dot);
}

/* Reads \\server\share\ after its first character. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf) && leaf->end == \old(leaf->end);
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
 */
static bool take_share(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    if (!snpy_leaf_take(pickle, leaf, '\\') || !take_part(pickle, leaf, true)) return false;
    return snpy_leaf_take(pickle, leaf, '\\') && take_part(pickle, leaf, true) && snpy_leaf_take(pickle, leaf, '\\');
}

/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_letter(uint32_t point)
{
    return (point >= 'A' && point <= 'Z') || (point >= 'a' && point <= 'z');
}

/* Reads a drive, if there is one. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf) && leaf->end == \old(leaf->end);
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
 */
static bool take_drive(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    struct snpy_leaf ahead = *leaf;
    if (!is_letter(leaf->point)) return false;
    snpy_leaf_step(pickle, &ahead);
    if (!snpy_leaf_take(pickle, &ahead, ':')) return false;
    leaf->pos = ahead.pos;
    leaf->point = ahead.point;
    return true;
}

/* Reads a drive, a share or a root, if there is one. Returns false if none follows that begins. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf) && leaf->end == \old(leaf->end);
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
 */
static bool take_anchor(const uint8_t *pickle, struct snpy_leaf *leaf, bool windows)
{
    if (!windows) {
        if (snpy_leaf_take(pickle, leaf, '/')) (void)snpy_leaf_take(pickle, leaf, '/');
        return true;
    }
    bool has_drive = take_drive(pickle, leaf);
    if (!snpy_leaf_take(pickle, leaf, '\\')) return true;
    return has_drive || leaf->point != '\\' || take_share(pickle, leaf);
}

/* Whether text is an anchor and then parts with a separator between two. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_whole(const uint8_t *pickle, struct snpy_leaf leaf, bool windows)
{
    if (leaf.point == SNPY_LEAF_END || !take_anchor(pickle, &leaf, windows)) return false;
    if (leaf.point == SNPY_LEAF_END) return true;
    /*@ loop invariant leaf: leaf_ok(pickle, leaf);
        loop assigns leaf;
        loop variant leaf_left(leaf); */
    while (take_part(pickle, &leaf, windows)) {
        if (leaf.point == SNPY_LEAF_END) return true;
        if (!snpy_leaf_take(pickle, &leaf, windows ? '\\' : '/')) return false;
    }
    return false;
}

/* Whether text is a part. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_part(const uint8_t *pickle, struct snpy_leaf leaf, bool windows)
{
    return take_part(pickle, &leaf, windows) && leaf.point == SNPY_LEAF_END;
}

/* Whether text is an anchor and nothing else. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_anchor(const uint8_t *pickle, struct snpy_leaf leaf, bool windows)
{
    if (leaf.point == SNPY_LEAF_END) return false;
    return take_anchor(pickle, &leaf, windows) && leaf.point == SNPY_LEAF_END;
}

bool snpy_is_path(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t role, int32_t args)
{
    bool windows = is_windows(role);
    int32_t entry = table->nodes[args].first;
    if (entry == 0) return true;
    struct snpy_leaf first = snpy_leaf_of(pickle, length, table, entry);
    entry = table->nodes[entry].next;
    if (entry == 0) return is_whole(pickle, first, windows);
    if (!is_anchor(pickle, first, windows) && !is_part(pickle, first, windows)) return false;
    /*@ loop invariant range: 0 <= entry < table->count;
        loop assigns left, entry;
        loop variant left; */
    for (uint64_t left = table->count; left > 0 && entry != 0; left--) {
        if (!is_part(pickle, snpy_leaf_of(pickle, length, table, entry), windows)) return false;
        entry = table->nodes[entry].next;
    }
    return true;
}
