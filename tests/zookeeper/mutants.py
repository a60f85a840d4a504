"""Single-line mutants of the decision table and of truncation, each with the small model that tells it apart.

Left out on purpose, because no schedule can tell them from the real spec (``test_equivalent_mutants.py``):

* the target of SNAP and DIFF: learners do not read it, and states differ by it one to one;
* ``peer < low`` with an equal sign in ``decide``: a learner at ``low`` was served by the line above;
* ``rules.reads_disk`` in ``decide``: without it the spec offers no ``fits`` to begin with (``Episodes.sizes``);
* ``not fits`` for ``fits``: both choices are offered, so that only their names are exchanged;
* ``record < peer`` with an equal sign in ``_from_records``: there, the peer is not among the records;
* ``not before`` in ``_from_records``: both callers pass records that begin no higher than the peer;
* ``record <= low`` in ``_from_disk``: the files go on with what is in the committedLog anyway, so that the same
  transactions are sent;
* ``older = 0`` in ``truncated``: files do not overlap, so that no earlier file reaches up to the target;
* ``stream=None`` in ``_truncate``: a learner has just restarted and has no file open.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MUTANTS", "Mutant"]


class Mutant(NamedTuple):
    """One place of one module, what it becomes, and the small model that notices."""

    module: str
    old: str
    new: str
    caught_by: str

    def __str__(self) -> str:
        return f"{self.module}: {self.old.strip()} -> {self.new.strip()}"


def _of(module: str, *changes: tuple[str, str, str]) -> tuple[Mutant, ...]:
    return tuple(Mutant(module, old, new, caught_by) for old, new, caught_by in changes)


DECIDE = _of(
    "decision",
    ("(leader.recent[0], leader.recent[-1]) if", "(leader.recent[-1], leader.recent[-1]) if", "3.4.11 short"),
    ("(leader.recent[0], leader.recent[-1]) if", "(leader.recent[0], leader.recent[0]) if", "3.4.11 short"),
    ("else (leader.last, leader.last)", "else (Zxid(0, 0), Zxid(0, 0))", "3.8 short"),
    ("else (leader.last, leader.last)", "else (Zxid(0, 0), leader.last)", "3.8 short"),
    ("if peer == leader.last:", "if peer != leader.last:", "3.4.11 short"),
    ("if peer == leader.last:", "if peer >= leader.last:", "3.4.11"),
    ("if peer == leader.last:", "if peer <= leader.last:", "3.4.11 short"),
    ("if peer == leader.last:", "if False:", "3.4.11 short"),
    ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("SNAP", peer, NO_RECORDS, 1)', "3.4.11 short"),
    ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("DIFF", peer, leader.recent, 1)', "3.4.11 short"),
    ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("DIFF", peer, NO_RECORDS, 4)', "3.4.11 short"),
    ("if not leader.recent and rules", "if leader.recent and rules", "3.4.11 short"),
    ("if not leader.recent and rules", "if rules", "3.4.11 short"),
    ("not leader.recent and rules.empty_log_means_snap", "not leader.recent", "3.8 short"),
    (
        "not leader.recent and rules.empty_log_means_snap",
        "not leader.recent or rules.empty_log_means_snap",
        "3.4.11 short",
    ),
    (
        "not leader.recent and rules.empty_log_means_snap",
        "not leader.recent and not rules.empty_log_means_snap",
        "3.8 short",
    ),
    ("snap._replace(rule=2)", "snap", "3.4.11"),
    ("snap._replace(rule=2)", 'snap._replace(kind="DIFF")', "3.4.11"),
    ("if peer > high and", "if peer >= high and", "3.4.11 short"),
    ("if peer > high and", "if peer < high and", "3.4.11 short"),
    ("if peer > high and", "if peer > low and", "3.4.11 short"),
    ("(peer.counter > 0 or rules.trunc_across_epochs)", "peer.counter > 0", "3.4.9"),
    ("(peer.counter > 0 or rules.trunc_across_epochs)", "rules.trunc_across_epochs", "3.8 short"),
    ("(peer.counter > 0 or", "(peer.counter >= 0 or", "3.8 idle"),
    ("(peer.counter > 0 or", "(peer.counter > 1 or", "3.8 short"),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("TRUNC", low, NO_RECORDS, 3)', "3.4.11 short"),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("SNAP", high, NO_RECORDS, 3)', "3.4.11 short"),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("DIFF", high, NO_RECORDS, 3)', "3.4.11 short"),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("TRUNC", high, leader.recent, 3)', "3.4.11 logging"),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("TRUNC", high, NO_RECORDS, 5)', "3.4.11 short"),
    ("if low <= peer <= high:", "if low < peer <= high:", "3.8 short"),
    ("if low <= peer <= high:", "if low <= peer < high:", "3.4.11 short"),
    ("if low <= peer <= high:", "if low < peer < high:", "3.4.11 short"),
    ("leader.recent, high) or snap._replace(rule=5)", "leader.recent, low) or snap._replace(rule=6)", "3.5 short"),
    ("if peer < low and rules.reads_disk and fits:", "if peer < low and rules.reads_disk:", "3.8 short"),
    ("if peer < low and rules.reads_disk and fits:", "if peer > low and rules.reads_disk and fits:", "3.8 short"),
    ("if peer < low and rules.reads_disk and fits:", "if False:", "3.8 short"),
    ("or snap._replace(rule=6)", "or snap", "3.8 short"),
    ("snap._replace(rule=6 if peer < low else 7)", "snap._replace(rule=7 if peer < low else 6)", "3.8 short"),
    ("snap._replace(rule=6 if peer < low else 7)", "snap._replace(rule=6)", "3.8 idle"),
    ("snap._replace(rule=6 if peer < low else 7)", 'Decision("DIFF", high, leader.recent, 6)', "3.8 short"),
)

FROM_RECORDS = _of(
    "decision",
    ("if record > peer]", "if record >= peer]", "3.4.11 short"),
    ("if record > peer]", "if record != peer]", "3.4.11 short"),
    ("if peer in records:", "if peer not in records:", "3.4.11 short"),
    ("if peer in records:", "if False:", "3.4.11 short"),
    ('Decision("DIFF", high, following, 4)', 'Decision("DIFF", high, following[1:], 4)', "3.4.11 short"),
    ('Decision("DIFF", high, following, 4)', 'Decision("DIFF", high, records, 4)', "3.4.11 short"),
    ('Decision("DIFF", high, following, 4)', 'Decision("SNAP", high, following, 4)', "3.4.11 short"),
    ('Decision("DIFF", high, following, 4)', 'Decision("TRUNC", peer, following, 4)', "3.4.11 short"),
    ("if peer.counter == 0 and not", "if peer.counter != 0 and not", "3.8 short"),
    ("if peer.counter == 0 and not", "if peer.counter == 0 and", "3.8 short"),
    ("if peer.counter == 0 and not", "if peer.counter == 0 or not", "3.5 short"),
    ("if peer.counter == 0 and not", "if peer.counter <= 1 and not", "3.5 short"),
    ('Decision("DIFF", high, following, 5)', "None", "3.8 short"),
    ('Decision("DIFF", high, following, 5)', 'Decision("DIFF", high, following[1:], 5)', "3.8 short"),
    ("if not before or not following:", "if not before and not following:", "3.8"),
    ("if not before or not following:", "if not before:", "3.8"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch == peer.epoch and not", "3.8"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch != peer.epoch and", "3.4.11"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch != peer.epoch or not", "3.4.11"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch < peer.epoch and not", "3.8"),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("TRUNC", before[0], following, 5)', "3.4.11 short"),
    (
        'Decision("TRUNC", before[-1], following, 5)',
        'Decision("TRUNC", following[0], following, 5)',
        "3.4.11 short",
    ),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("TRUNC", before[-1], NO_RECORDS, 5)', "3.4.11 short"),
    (
        'Decision("TRUNC", before[-1], following, 5)',
        'Decision("TRUNC", before[-1], following[1:], 5)',
        "3.4.11 short",
    ),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("DIFF", before[-1], following, 5)', "3.4.11 short"),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("SNAP", before[-1], following, 5)', "3.4.11"),
)

FROM_DISK = _of(
    "decision",
    (
        "if rules.heeds_marker and peer <= leader.marker:",
        "if rules.heeds_marker and peer < leader.marker:",
        "3.8 marker",
    ),
    (
        "if rules.heeds_marker and peer <= leader.marker:",
        "if rules.heeds_marker and peer >= leader.marker:",
        "3.8 marker",
    ),
    (
        "if rules.heeds_marker and peer <= leader.marker:",
        "if not rules.heeds_marker and peer <= leader.marker:",
        "3.8 marker",
    ),
    ("if rules.heeds_marker and peer <= leader.marker:", "if rules.heeds_marker:", "3.8 marker"),
    ("if rules.heeds_marker and peer <= leader.marker:", "if False:", "3.8 marker"),
    ("files_from(leader.files, peer)", "leader.files[-1:]", "3.8 short"),
    ("files_from(leader.files, peer)", "files_from(leader.files, low)", "3.8 short"),
    ("if not records or records[0] > peer:", "if records[0] > peer:", "3.8 wipe"),
    ("if not records or records[0] > peer:", "if not records:", "3.8 wipe"),
    ("if not records or records[0] > peer:", "if not records or records[0] >= peer:", "3.5 short"),
    ("if not records or records[0] > peer:", "if not records or records[0] < peer:", "3.8 short"),
    ("for record in records if record <= low]", "for record in records if record < low]", "3.8 short"),
    ("for record in records if record <= low]", "for record in records if record >= low]", "3.8 short"),
    ("if decision is None:", "if decision is not None:", "3.8 short"),
    ("decision.sent[-1] if decision.sent else peer", "decision.sent[0] if decision.sent else peer", "3.8"),
    ("decision.sent[-1] if decision.sent else peer", "decision.sent[-1] if decision.sent else low", "3.8 short"),
    ("decision.sent[-1] if decision.sent else peer", "peer", "3.8 short"),
    ("if rules.checks_gap and reached < low:", "if rules.checks_gap and reached <= low:", "3.8 short"),
    ("if rules.checks_gap and reached < low:", "if rules.checks_gap and reached > low:", "3.8 short"),
    ("if rules.checks_gap and reached < low:", "if not rules.checks_gap and reached < low:", "3.8 short"),
    ("if rules.checks_gap and reached < low:", "if rules.checks_gap:", "3.8 short"),
    ("if rules.checks_gap and reached < low:", "if reached < low:", "3.5 short"),
    ("if rules.checks_gap and reached < low:", "if False:", "3.8 short"),
    ("if record > reached]", "if record >= reached]", "3.8 short"),
    ("if record > reached]", "if record < reached]", "3.5 short"),
    ("sent=decision.sent.extend(rest), rule=6", "sent=decision.sent, rule=6", "3.5 short"),
    ("sent=decision.sent.extend(rest), rule=6", "sent=pvector(rest), rule=6", "3.8 short"),
    ("sent=decision.sent.extend(rest), rule=6", "sent=decision.sent.extend(rest)", "3.8 short"),
)

TRUNCATED = _of(
    "disk",
    ("older = len(files) - len(files_from(files, target))", "older = len(files) - 1", "3.4.11 short"),
    ("range(older, len(files))", "range(older + 1, len(files))", "3.4.11 short"),
    ("if record >= target:", "if record > target:", "3.4.11 short"),
    ("if record >= target:", "if record == target:", "3.8 released"),
    ("if record >= target:", "if record <= target:", "3.4.11 short"),
    ("keep = position + 1 if", "keep = position if", "3.4.11 short"),
    ("keep = position + 1 if", "keep = position + 2 if", "3.4.11 short"),
    ('record == target or way == "released"', 'record == target and way == "released"', "3.8 released"),
    ('record == target or way == "released"', 'record != target or way == "released"', "3.8 exact"),
    ('record == target or way == "released"', 'way == "released"', "3.8 exact"),
    ('record == target or way == "released"', "record == target", "3.8 released"),
    ('record == target or way == "released"', 'record == target or way != "released"', "3.8 released"),
    ('way == "released" else position', 'way == "released" else position + 1', "3.8 exact"),
    ('if record != target and way == "delete":', 'if way == "delete":', "3.8 delete"),
    ('if record != target and way == "delete":', 'if record != target and way != "delete":', "3.8 released"),
    ("keep = 0", "keep = 1", "3.8 delete"),
    # Exact and delete differ only where the target is missing in the middle of a file, which takes a stray write.
    ('way == "released" else position', 'way == "released" else 0', "3.8 stray exact"),
    ('if record != target and way == "delete":', "if False:", "3.8 stray delete"),
    ("[files[at][:keep]] if keep else []", "[files[at]] if keep else []", "3.4.11 short"),
    ("[files[at][:keep]] if keep else []", "[files[at][:keep]]", "3.8 exact"),
    ("[files[at][:keep]] if keep else []", "[files[at][keep:]] if keep else []", "3.4.11 short"),
    ("[files[at][:keep]] if keep else []", "[]", "3.4.11 short"),
    ("pvector([*files[:at], *rest])", "pvector([*files[:at], *rest, *files[at + 1 :]])", "3.4.11 short"),
    ("pvector([*files[:at], *rest])", "pvector(rest)", "3.4.11 short"),
    ("pvector([*files[:at], *rest])", "files[:at]", "3.4.11 short"),
    ("    return None", "    return files", "3.4.9"),
)

CUT = _of(
    "disk",
    ("if record <= zxid])", "if record < zxid])", "3.4.11 cut"),
    ("if record <= zxid])", "if record > zxid])", "3.4.11 cut"),
    ("if record <= zxid])", "])", "3.4.11 cut"),
    ("for file in kept if file])", "for file in kept])", "3.4.11 cut"),
    ("for file in kept if file])", "for file in kept if len(file) > 1])", "3.4.11 cut"),
)

TRUNCATE = _of(
    "learner",
    (
        "files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        return None",
        "files = truncated(learner.files, target, rules.truncates) or learner.files",
        "3.4.9",
    ),
    (
        "files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        return None",
        'files = truncated(learner.files, target, "released")\n    if files is None:\n        return None',
        "3.8 exact",
    ),
    (
        "files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        return None",
        "files = cut(learner.files, target)",
        "3.4.9",
    ),
    (
        "if rules.drops_snapshots else learner.snapshots\n    loaded",
        "if False else learner.snapshots\n    loaded",
        "3.8 dropping",
    ),
    (
        "if rules.drops_snapshots else learner.snapshots\n    loaded",
        "if True else learner.snapshots\n    loaded",
        "3.8 giving up",
    ),
    ("loaded = restore(files, snapshots)", "loaded = restore(learner.files, snapshots)", "3.4.11 short"),
    ("loaded = restore(files, snapshots)", "loaded = restore(files, learner.snapshots)", "3.8 dropping"),
    ("for record in file if record > target]", "for record in file if record >= target]", "3.8 released"),
    ("for record in file if record > target]", "for record in file if record < target]", "3.8 exact"),
    ("left += [name for name in snapshots if name > target]", "left += []", "3.8 giving up"),
    (
        "left += [name for name in snapshots if name > target]",
        "left += [name for name in snapshots if name >= target]",
        "3.8 exact",
    ),
    ("learner._replace(files=files, ", "learner._replace(", "3.4.11 short"),
    ("snapshots=snapshots, stream", "stream", "3.8 dropping"),
    ("tree=loaded.tree, last=target)", "last=target)", "3.4.11 short"),
    ("tree=loaded.tree, last=target)", "tree=loaded.tree)", "3.4.11 short"),
    ("tree=loaded.tree, last=target)", "tree=loaded.tree, last=loaded.last)", "3.8 claiming"),
    (
        "after = _in_memory(after, decision.sent)\n    if rules.logs_after_trunc",
        "if rules.logs_after_trunc",
        "3.4.11 short",
    ),
    ("if rules.logs_after_trunc:", "if not rules.logs_after_trunc:", "3.4.11 short"),
    ("if rules.logs_after_trunc:", "if True:", "3.4.11 short"),
    ("if rules.logs_after_trunc:", "if False:", "3.4.11 logging"),
    (
        "Synced(_logged(after, decision.sent), decision, pvector(sorted(left)))",
        "Synced(after, decision, pvector(sorted(left)))",
        "3.4.11 logging",
    ),
    (
        "Synced(_logged(after, decision.sent), decision, pvector(sorted(left)))",
        "Synced(_logged(after, decision.sent), decision, NOTHING_LEFT)",
        "3.8 logging",
    ),
    (
        'Synced(_snapshot(rules, after, "TRUNC"), decision, pvector(sorted(left)))',
        "Synced(after, decision, pvector(sorted(left)))",
        "3.4.11 short",
    ),
    (
        'Synced(_snapshot(rules, after, "TRUNC"), decision, pvector(sorted(left)))',
        'Synced(_snapshot(rules, after, "TRUNC"), decision, NOTHING_LEFT)',
        "3.8 giving up",
    ),
    ('_snapshot(rules, after, "TRUNC")', '_snapshot(rules, after, "SNAP")', "3.4.11 forcing"),
    ('_snapshot(rules, after, "TRUNC")', '_snapshot(rules, after, "DIFF")', "3.4.11 forcing"),
)

MUTANTS = (*DECIDE, *FROM_RECORDS, *FROM_DISK, *TRUNCATED, *CUT, *TRUNCATE)
