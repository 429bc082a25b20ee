"""Parts of the rows, numbered by themselves, so that sets of them are short.

A node with few of the rows would leave most words of its set empty. Its rows are numbered anew and
their cuts written out: from the rows' words, 64 rows and 64 cuts at a time.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.words import ONE, ZERO, lowest, ones, transpose

#: A patch is made where it has at most one word for so many of the patch before.
SHRINK = 8

_S6 = np.uint64(6)


@step
def write_cuts(ids, start, n, words, block, bits, at, n_words, n_cuts):
    """Write the cuts of the ``n``, up to 64, rows from ``start`` on, one word to a cut.

    The words are ``n_words`` apart.
    """
    for k in range(words.shape[1]):
        for i in range(n):
            block[i] = words[ids[start + np.uint64(i)], k]
        for i in range(n, 64):
            block[i] = ZERO
        transpose(block)
        for j in range(min(64, n_cuts - 64 * k)):
            bits[at] = block[j]
            at += n_words


@step
def write_planes(counts, start, n, planes, at, word, n_words, n_planes):
    """Write how often the rows from ``start`` on were drawn, into word ``word`` of the planes.

    The planes start at ``at``. There are ``n_planes`` so far; returns how many there are then.
    """
    most, n_here = np.uint32(0), ZERO
    for i in range(n):
        most |= counts[start + np.uint64(i)]
    while most > 0:
        most >>= np.uint32(1)
        n_here += ONE
    while n_planes < n_here:
        for w in range(word):
            planes[at + n_planes * n_words + w] = ZERO
        n_planes += ONE
    for p in range(n_here):
        bits, shift = ZERO, np.uint32(p)
        for i in range(n):
            count = counts[start + np.uint64(i)]
            bits |= np.uint64((count >> shift) & np.uint32(1)) << np.uint64(i)
        planes[at + p * n_words + word] = bits
    for p in range(n_here, n_planes):
        planes[at + p * n_words + word] = ZERO
    return n_planes


@step
def settle(subset, patches, room, node):
    """Give the rows of a node numbers of their own if they are few."""
    level, starts, mask = patches.levels[node.level], patches.starts, room.masks[0]
    here, there, n_words, n_classes = node.level, node.level + 1, ZERO, starts.shape[1] - 1
    if there == len(patches.levels):
        return
    for c in range(n_classes):
        starts[there, c] = n_words
        n = ZERO
        for w in range(starts[here, c], starts[here, c + 1]):
            n += ones(mask[w])
        n_words += (n + np.uint64(63)) >> _S6
    starts[there, n_classes] = n_words
    if n_words * np.uint64(SHRINK) > level.n_words:
        return
    to, n_planes = patches.levels[there], ZERO
    to.n_words = n_words
    ids, counts, planes = patches.ids, patches.counts, patches.planes
    for c in range(n_classes):
        m = to.rows + (starts[there, c] << _S6)
        for w in range(starts[here, c], starts[here, c + 1]):
            rest, at = mask[w], level.rows + (w << _S6)
            while rest != ZERO:
                row = at + lowest(rest)
                rest &= rest - ONE
                ids[m], counts[m] = ids[row], counts[row]
                m += ONE
        for w in range(starts[there, c], starts[there, c + 1]):
            at = to.rows + (w << _S6)
            n = min(64, np.int64(m - at))
            write_cuts(
                ids, at, n, subset.words, room.small.block, patches.bits, to.bits + w, n_words,
                subset.n_cuts,
            )  # fmt: skip
            n_planes = write_planes(counts, at, n, planes, to.planes, w, n_words, n_planes)
    to.n_planes = n_planes
    for w in range(n_words):
        word = ZERO
        for p in range(n_planes):
            word |= planes[to.planes + p * n_words + w]
        mask[w] = word
    node.level = there
