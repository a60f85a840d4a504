"""The hot loops: integers and arrays only. They run as plain Python on lists and compiled on numpy arrays.

Rules that keep both worlds equal: no calls between kernels, no allocation, int64 arithmetic that cannot overflow
(fingerprints are only ever combined by XOR). NOTE(codes): a trie branch is a *code*: 0 is unknown, a positive code is
the next node, a negative code -1-leaf is an answer. Leaf 0 is "no" (disabled, false), leaf 1 is a predicate's "yes".
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["KERNELS", "NEAR", "Leaves", "Tries"]

# Values below NEAR have their branch in an array beside the node; the others in one hash table for all nodes.
NEAR = 4


class Tries(NamedTuple):
    """The decision tries of all roots."""

    entry: Any
    node_slot: Any
    near: Any
    far_key: Any
    far_code: Any


class Leaves(NamedTuple):
    """What the leaves say: a leaf has successors, a successor has writes. Blind writes come first."""

    first: Any
    count: Any
    delta: Any
    root: Any
    write_first: Any
    write_count: Any
    blind_count: Any
    write_slot: Any
    write_value: Any


def walk(
    rows: Any, width: int, first: int, pairs: Any, n_pairs: int, dense: bool,
    roots: Any, n_roots: int, tries: Tries, far_mask: int, found: Any, missed: Any, stuck: Any,
) -> int:  # fmt: skip
    """Descend the trie of each (row, root) pair: ``found`` gets leaves, ``missed`` the pairs that met the unknown.

    Dense: all pairs of ``n_pairs / n_roots`` rows; otherwise those listed. ``missed`` may be ``pairs`` itself.
    """
    entry, node_slot, near, far_key, far_code = tries
    n_missed = 0
    column = -1
    base = first * width
    for k in range(n_pairs):
        if dense:
            pair = k
            column += 1
            if column == n_roots:
                column = 0
                base += width
        else:
            pair = pairs[k]
            column = pair % n_roots
            base = (first + pair // n_roots) * width
        code = entry[roots[column]]
        where = -1 - column
        while code > 0:
            value = rows[base + node_slot[code]]
            where = (code << 32) | value
            if value < NEAR:
                code = near[code * NEAR + value]
            else:
                probe = (((code * 2654435769) ^ (value * 2246822519)) >> 8) & far_mask
                while far_key[probe] != where and far_key[probe] != 0:
                    probe = (probe + 1) & far_mask
                code = far_code[probe] if far_key[probe] == where else 0
        if code == 0:
            missed[n_missed] = pair
            stuck[n_missed] = where
            n_missed += 1
        else:
            found[pair] = -1 - code
    return n_missed


def absorb(
    tries: Tries, far_mask: int, n_lessons: int, lesson_root: Any, lesson_first: Any, lesson_leaf: Any,
    path_slot: Any, path_value: Any, counters: Any,
) -> int:  # fmt: skip
    """Add lessons to the tries; ``counters`` holds the number of nodes and of far branches.

    Returns -1, or the lesson that reads another slot than an earlier one with the same beginning (an impure function).
    """
    entry, node_slot, near, far_key, far_code = tries
    for lesson in range(n_lessons):
        root = lesson_root[lesson]
        answer = -1 - lesson_leaf[lesson]
        at = lesson_first[lesson]
        end = lesson_first[lesson + 1]
        if at == end:
            if entry[root] > 0:
                return lesson
            entry[root] = answer
            continue
        code = entry[root]
        if code == 0:
            code = counters[0]
            counters[0] += 1
            node_slot[code] = path_slot[at]
            entry[root] = code
        while at < end:
            if code < 0 or node_slot[code] != path_slot[at]:
                return lesson
            node = code
            value = path_value[at]
            at += 1
            key = (node << 32) | value
            probe = 0
            if value < NEAR:
                code = near[node * NEAR + value]
            else:
                probe = (((node * 2654435769) ^ (value * 2246822519)) >> 8) & far_mask
                while far_key[probe] != key and far_key[probe] != 0:
                    probe = (probe + 1) & far_mask
                code = far_code[probe] if far_key[probe] == key else 0
            if at < end and code != 0:
                continue
            if at < end:
                code = counters[0]
                counters[0] += 1
                node_slot[code] = path_slot[at]
            elif code > 0:
                return lesson
            else:
                code = answer
            if value < NEAR:
                near[node * NEAR + value] = code
            else:
                if far_key[probe] == 0:
                    counters[1] += 1
                far_key[probe] = key
                far_code[probe] = code
    return -1


def rehash(old_key: Any, old_code: Any, length: int, new_key: Any, new_code: Any, mask: int) -> int:
    """Move the far branches to a larger table."""
    for k in range(length):
        key = old_key[k]
        if key != 0:
            node = key >> 32
            value = key & 0xFFFFFFFF
            probe = (((node * 2654435769) ^ (value * 2246822519)) >> 8) & mask
            while new_key[probe] != 0:
                probe = (probe + 1) & mask
            new_key[probe] = key
            new_code[probe] = old_code[k]
    return 0


def generate(
    found: Any, n_rows: int, n_roots: int, first: int, rows: Any, width: int, fps: Any, leaves: Leaves,
    blind_base: Any, blind_number: Any, out_fp: Any, out_row: Any, out_edge: Any, enabled: Any, taken: Any, dead: Any,
) -> int:  # fmt: skip
    """The candidates: every successor of every row as (fingerprint, row, edge).

    ``dead`` gets the rows without any, and in its first place how many they are.
    """
    leaf_first, leaf_count, delta, _, write_first, _, blind_count, write_slot, _ = leaves
    made = 0
    n_dead = 0
    for row in range(n_rows):
        before = made
        fp = fps[first + row]
        for column in range(n_roots):
            leaf = found[row * n_roots + column]
            if leaf == 0:
                continue
            enabled[column] += 1
            begin = leaf_first[leaf]
            count = leaf_count[leaf]
            taken[column] += count
            for edge in range(begin, begin + count):
                changed = fp ^ delta[edge]
                at = write_first[edge]
                for write in range(at, at + blind_count[edge]):
                    slot = write_slot[write]
                    changed ^= blind_number[blind_base[slot] + rows[(first + row) * width + slot]]
                out_fp[made] = changed
                out_row[made] = row
                out_edge[made] = edge
                made += 1
        if made == before:
            n_dead += 1
            dead[n_dead] = row
    dead[0] = n_dead
    return made


def tally(found: Any, n_pairs: int, leaf_count: Any) -> int:
    """How many candidates the leaves found will make."""
    total = 0
    for k in range(n_pairs):
        leaf = found[k]
        if leaf != 0:
            total += leaf_count[leaf]
    return total


def insert(table: Any, mask: int, fps: Any, n: int, glance: Any, fresh: Any) -> int:
    """Put fingerprints into the seen table; ``fresh`` gets the positions of those that were not there.

    The first pass only looks, with no branches, so that the processor waits for many cache misses at once.
    """
    n_fresh = 0
    chunk = len(glance)
    for begin in range(0, n, chunk):
        end = min(begin + chunk, n)
        for k in range(begin, end):
            glance[k - begin] = table[fps[k] & mask]
        for k in range(begin, end):
            fp = fps[k]
            if fp == 0:
                fp = 1
            if glance[k - begin] == fp:
                continue
            probe = fp & mask
            while table[probe] != fp and table[probe] != 0:
                probe = (probe + 1) & mask
            if table[probe] == 0:
                table[probe] = fp
                fresh[n_fresh] = k
                n_fresh += 1
    return n_fresh


def build(
    rows: Any, width: int, first: int, parent_base: int, fps: Any, row_of: Any, edge_of: Any, chosen: Any, n: int,
    leaves: Leaves, out_at: int, out_rows: Any, out_fps: Any, out_parent: Any, out_edge: Any,
) -> int:  # fmt: skip
    """Write the rows of the chosen candidates behind ``out_at`` rows, with their parents and edges."""
    for k in range(n):
        candidate = chosen[k]
        row = first + row_of[candidate]
        edge = edge_of[candidate]
        to = (out_at + k) * width
        source = row * width
        for slot in range(width):
            out_rows[to + slot] = rows[source + slot]
        at = leaves.write_first[edge]
        for write in range(at, at + leaves.write_count[edge]):
            out_rows[to + leaves.write_slot[write]] = leaves.write_value[write]
        out_fps[out_at + k] = fps[candidate]
        out_parent[k] = parent_base + row
        out_edge[k] = edge
    return n


def pair_up(
    rows: Any, width: int, first: int, row_of: Any, edge_of: Any, begin: int, end: int, leaves: Leaves, out: Any
) -> int:
    """Rows of double width, the current state and then the next one, for the predicates over steps."""
    for k in range(begin, end):
        source = (first + row_of[k]) * width
        to = (k - begin) * 2 * width
        for slot in range(width):
            value = rows[source + slot]
            out[to + slot] = value
            out[to + width + slot] = value
        at = leaves.write_first[edge_of[k]]
        for write in range(at, at + leaves.write_count[edge_of[k]]):
            out[to + width + leaves.write_slot[write]] = leaves.write_value[write]
    return end - begin


def gather(rows: Any, width: int, first: int, chosen: Any, begin: int, n: int, out: Any) -> int:
    """Copy the rows listed in ``chosen[begin:begin + n]``."""
    for k in range(n):
        source = (first + chosen[begin + k]) * width
        for slot in range(width):
            out[k * width + slot] = rows[source + slot]
    return n


def divide(
    found: Any, n_roots: int, begin: int, first: int, last: int, kept: int, fps: Any, row_of: Any, edge_of: Any,
    n_cut: int, cut_fps: Any, cut_row: Any, cut_edge: Any,
) -> int:  # fmt: skip
    """Move candidates [first, last) behind the ``kept`` ones where all roots from ``begin`` on say yes, and the others
    behind the ``n_cut`` ones cut; returns how many are kept now."""
    for k in range(first, last):
        inside = True
        for column in range(begin, n_roots):
            if found[(k - first) * n_roots + column] == 0:
                inside = False
        if inside:
            fps[kept] = fps[k]
            row_of[kept] = row_of[k]
            edge_of[kept] = edge_of[k]
            kept += 1
        else:
            cut_fps[n_cut] = fps[k]
            cut_row[n_cut] = row_of[k]
            cut_edge[n_cut] = edge_of[k]
            n_cut += 1
    return kept


def credit(edges: Any, n: int, root_of: Any, new: Any) -> int:
    """Count new states for the roots of the edges that led to them."""
    for k in range(n):
        new[root_of[edges[k]]] += 1
    return n


def first_rows(found: Any, n_rows: int, n_roots: int, leaf: int, begin: int, end: int, out: Any) -> int:
    """For each root in [begin, end) the first row whose answer is ``leaf``, or -1; returns how many have one."""
    n_found = 0
    for column in range(begin, end):
        out[column] = -1
        for row in range(n_rows):
            if found[row * n_roots + column] == leaf:
                out[column] = row
                n_found += 1
                break
    return n_found


def compact(
    found: Any, n_rows: int, n_roots: int, n_constraints: int, at: int, width: int,
    rows: Any, fps: Any, parents: Any, edges: Any,
) -> int:  # fmt: skip
    """Keep the staged rows for which all constraints (the first roots) say yes; returns how many."""
    kept = 0
    for row in range(n_rows):
        inside = True
        for column in range(n_constraints):
            if found[row * n_roots + column] == 0:
                inside = False
        if inside:
            for slot in range(width):
                rows[(at + kept) * width + slot] = rows[(at + row) * width + slot]
            fps[at + kept] = fps[at + row]
            parents[kept] = parents[row]
            edges[kept] = edges[row]
            kept += 1
    return kept


KERNELS = (
    walk, absorb, rehash, generate, tally, insert, build, pair_up, gather, divide, credit, first_rows, compact,
)  # fmt: skip
