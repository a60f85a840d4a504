"""Single-line mutants of the decision table and of truncation.

Each is (module, text in the source, text instead). What is left out on purpose, because no schedule can tell:

* the target of SNAP and DIFF: learners do not read it, and states differ by it one to one;
* `peer < low` with an equal sign: a learner at `low` was served by the line above;
* `rules.reads_disk` in `decide`: without it the spec offers no `fits` to begin with (`Episodes.sizes`);
* `record < peer` with an equal sign in `_from_records`: there, the peer is not among the records;
* `stream=None` in `_truncate`: a learner has just restarted and has no file open.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MUTANTS", "Mutant"]


class Mutant(NamedTuple):
    """One line of one module, and what it becomes."""

    module: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}: {self.old.strip()} -> {self.new.strip()}"


def _of(module: str, *changes: tuple[str, str]) -> tuple[Mutant, ...]:
    return tuple(Mutant(module, old, new) for old, new in changes)


DECIDE = _of(
    "decision",
    ("(leader.recent[0], leader.recent[-1]) if", "(leader.recent[-1], leader.recent[-1]) if"),
    ("(leader.recent[0], leader.recent[-1]) if", "(leader.recent[0], leader.recent[0]) if"),
    ("else (leader.last, leader.last)", "else (Zxid(0, 0), Zxid(0, 0))"),
    ("else (leader.last, leader.last)", "else (Zxid(0, 0), leader.last)"),
    ("if peer == leader.last:", "if peer != leader.last:"),
    ("if peer == leader.last:", "if peer >= leader.last:"),
    ("if peer == leader.last:", "if peer <= leader.last:"),
    ("if peer == leader.last:", "if False:"),
    ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("SNAP", peer, NO_RECORDS, 1)'),
    ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("DIFF", peer, leader.recent, 1)'),
    ('Decision("DIFF", peer, NO_RECORDS, 1)', 'Decision("DIFF", peer, NO_RECORDS, 4)'),
    ("if not leader.recent and rules", "if leader.recent and rules"),
    ("if not leader.recent and rules", "if rules"),
    ("not leader.recent and rules.empty_log_means_snap", "not leader.recent"),
    ("not leader.recent and rules.empty_log_means_snap", "not leader.recent or rules.empty_log_means_snap"),
    ("not leader.recent and rules.empty_log_means_snap", "not leader.recent and not rules.empty_log_means_snap"),
    ("snap._replace(rule=2)", "snap"),
    ("snap._replace(rule=2)", 'snap._replace(kind="DIFF")'),
    ("if peer > high and", "if peer >= high and"),
    ("if peer > high and", "if peer < high and"),
    ("if peer > high and", "if peer > low and"),
    ("(peer.counter > 0 or rules.trunc_across_epochs)", "peer.counter > 0"),
    ("(peer.counter > 0 or rules.trunc_across_epochs)", "rules.trunc_across_epochs"),
    ("(peer.counter > 0 or", "(peer.counter >= 0 or"),
    ("(peer.counter > 0 or", "(peer.counter > 1 or"),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("TRUNC", low, NO_RECORDS, 3)'),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("SNAP", high, NO_RECORDS, 3)'),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("DIFF", high, NO_RECORDS, 3)'),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("TRUNC", high, leader.recent, 3)'),
    ('Decision("TRUNC", high, NO_RECORDS, 3)', 'Decision("TRUNC", high, NO_RECORDS, 5)'),
    ("if low <= peer <= high:", "if low < peer <= high:"),
    ("if low <= peer <= high:", "if low <= peer < high:"),
    ("if low <= peer <= high:", "if low < peer < high:"),
    ("leader.recent, high) or snap._replace(rule=5)", "leader.recent, low) or snap._replace(rule=6)"),
    ("if peer < low and rules.reads_disk and fits:", "if peer < low and rules.reads_disk and not fits:"),
    ("if peer < low and rules.reads_disk and fits:", "if peer < low and rules.reads_disk:"),
    ("if peer < low and rules.reads_disk and fits:", "if peer > low and rules.reads_disk and fits:"),
    ("if peer < low and rules.reads_disk and fits:", "if False:"),
    ("or snap._replace(rule=6)", "or snap"),
    ("snap._replace(rule=6 if peer < low else 7)", "snap._replace(rule=7 if peer < low else 6)"),
    ("snap._replace(rule=6 if peer < low else 7)", "snap._replace(rule=6)"),
    ("snap._replace(rule=6 if peer < low else 7)", 'Decision("DIFF", high, leader.recent, 6)'),
)

FROM_RECORDS = _of(
    "decision",
    ("if record > peer]", "if record >= peer]"),
    ("if record > peer]", "if record != peer]"),
    ("if peer in records:", "if peer not in records:"),
    ("if peer in records:", "if False:"),
    ('Decision("DIFF", high, following, 4)', 'Decision("DIFF", high, following[1:], 4)'),
    ('Decision("DIFF", high, following, 4)', 'Decision("DIFF", high, records, 4)'),
    ('Decision("DIFF", high, following, 4)', 'Decision("SNAP", high, following, 4)'),
    ('Decision("DIFF", high, following, 4)', 'Decision("TRUNC", peer, following, 4)'),
    ("if peer.counter == 0 and not", "if peer.counter != 0 and not"),
    ("if peer.counter == 0 and not", "if peer.counter == 0 and"),
    ("if peer.counter == 0 and not", "if peer.counter == 0 or not"),
    ("if peer.counter == 0 and not", "if peer.counter <= 1 and not"),
    ('Decision("DIFF", high, following, 5)', "None"),
    ('Decision("DIFF", high, following, 5)', 'Decision("DIFF", high, following[1:], 5)'),
    ("if not before or not following:", "if not before and not following:"),
    ("if not before or not following:", "if not before:"),
    ("if not before or not following:", "if not following:"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch == peer.epoch and not"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch != peer.epoch and"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch != peer.epoch or not"),
    ("if following[0].epoch != peer.epoch and not", "if following[0].epoch < peer.epoch and not"),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("TRUNC", before[0], following, 5)'),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("TRUNC", following[0], following, 5)'),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("TRUNC", before[-1], NO_RECORDS, 5)'),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("TRUNC", before[-1], following[1:], 5)'),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("DIFF", before[-1], following, 5)'),
    ('Decision("TRUNC", before[-1], following, 5)', 'Decision("SNAP", before[-1], following, 5)'),
)

FROM_DISK = _of(
    "decision",
    ("if rules.heeds_marker and peer <= leader.marker:", "if rules.heeds_marker and peer < leader.marker:"),
    ("if rules.heeds_marker and peer <= leader.marker:", "if rules.heeds_marker and peer >= leader.marker:"),
    ("if rules.heeds_marker and peer <= leader.marker:", "if not rules.heeds_marker and peer <= leader.marker:"),
    ("if rules.heeds_marker and peer <= leader.marker:", "if rules.heeds_marker:"),
    ("if rules.heeds_marker and peer <= leader.marker:", "if False:"),
    ("files_from(leader.files, peer)", "leader.files[-1:]"),
    ("files_from(leader.files, peer)", "files_from(leader.files, low)"),
    ("if not records or records[0] > peer:", "if records[0] > peer:"),
    ("if not records or records[0] > peer:", "if not records:"),
    ("if not records or records[0] > peer:", "if not records or records[0] >= peer:"),
    ("if not records or records[0] > peer:", "if not records or records[0] < peer:"),
    ("for record in records if record <= low]", "for record in records if record < low]"),
    ("for record in records if record <= low]", "for record in records]"),
    ("for record in records if record <= low]", "for record in records if record >= low]"),
    ("if decision is None:", "if decision is not None:"),
    ("decision.sent[-1] if decision.sent else peer", "decision.sent[0] if decision.sent else peer"),
    ("decision.sent[-1] if decision.sent else peer", "decision.sent[-1] if decision.sent else low"),
    ("decision.sent[-1] if decision.sent else peer", "peer"),
    ("if rules.checks_gap and reached < low:", "if rules.checks_gap and reached <= low:"),
    ("if rules.checks_gap and reached < low:", "if rules.checks_gap and reached > low:"),
    ("if rules.checks_gap and reached < low:", "if not rules.checks_gap and reached < low:"),
    ("if rules.checks_gap and reached < low:", "if rules.checks_gap:"),
    ("if rules.checks_gap and reached < low:", "if reached < low:"),
    ("if rules.checks_gap and reached < low:", "if False:"),
    ("if record > reached]", "if record >= reached]"),
    ("if record > reached]", "if record < reached]"),
    ("sent=decision.sent.extend(rest), rule=6", "sent=decision.sent, rule=6"),
    ("sent=decision.sent.extend(rest), rule=6", "sent=pvector(rest), rule=6"),
    ("sent=decision.sent.extend(rest), rule=6", "sent=decision.sent.extend(rest)"),
)

TRUNCATED = _of(
    "disk",
    ("older = len(files) - len(files_from(files, target))", "older = len(files) - 1"),
    ("older = len(files) - len(files_from(files, target))", "older = 0"),
    ("range(older, len(files))", "range(older + 1, len(files))"),
    ("if record >= target:", "if record > target:"),
    ("if record >= target:", "if record == target:"),
    ("if record >= target:", "if record <= target:"),
    ("keep = position + 1 if", "keep = position if"),
    ("keep = position + 1 if", "keep = position + 2 if"),
    ('record == target or way == "released"', 'record == target and way == "released"'),
    ('record == target or way == "released"', 'record != target or way == "released"'),
    ('record == target or way == "released"', 'way == "released"'),
    ('record == target or way == "released"', "record == target"),
    ('record == target or way == "released"', 'record == target or way != "released"'),
    ('record == target or way == "released"', 'record == target or way != "exact"'),
    ('way == "released" else position', 'way == "released" else position + 1'),
    ('way == "released" else position', 'way == "released" else 0'),
    ('if record != target and way == "delete":', 'if way == "delete":'),
    ('if record != target and way == "delete":', 'if record != target and way != "delete":'),
    ('if record != target and way == "delete":', "if False:"),
    ("keep = 0", "keep = 1"),
    ("[files[at][:keep]] if keep else []", "[files[at]] if keep else []"),
    ("[files[at][:keep]] if keep else []", "[files[at][:keep]]"),
    ("[files[at][:keep]] if keep else []", "[files[at][keep:]] if keep else []"),
    ("[files[at][:keep]] if keep else []", "[]"),
    ("pvector([*files[:at], *rest])", "pvector([*files[:at], *rest, *files[at + 1 :]])"),
    ("pvector([*files[:at], *rest])", "pvector(rest)"),
    ("pvector([*files[:at], *rest])", "files[:at]"),
    ("    return None", "    return files"),
)

CUT = _of(
    "disk",
    ("if record <= zxid])", "if record < zxid])"),
    ("if record <= zxid])", "if record > zxid])"),
    ("if record <= zxid])", "])"),
    ("for file in kept if file])", "for file in kept])"),
    ("for file in kept if file])", "for file in kept if len(file) > 1])"),
)

TRUNCATE = _of(
    "learner",
    ("files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        return None",
     "files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        files = learner.files"),
    ("files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        return None",
     'files = truncated(learner.files, target, "released")\n    if files is None:\n        return None'),
    ("files = truncated(learner.files, target, rules.truncates)\n    if files is None:\n        return None",
     "files = cut(learner.files, target)"),
    ("if rules.drops_snapshots else learner.snapshots\n    loaded", "if False else learner.snapshots\n    loaded"),
    ("if rules.drops_snapshots else learner.snapshots\n    loaded", "if True else learner.snapshots\n    loaded"),
    ("loaded = restore(files, snapshots)", "loaded = restore(learner.files, snapshots)"),
    ("loaded = restore(files, snapshots)", "loaded = restore(files, learner.snapshots)"),
    ("for record in file if record > target]", "for record in file if record >= target]"),
    ("for record in file if record > target]", "for record in file if record < target]"),
    ("left += [name for name in snapshots if name > target]", "left += []"),
    ("left += [name for name in snapshots if name > target]",
     "left += [name for name in snapshots if name >= target]"),
    ("learner._replace(files=files, ", "learner._replace("),
    ("snapshots=snapshots, stream", "stream"),
    ("tree=loaded.tree, last=target)", "last=target)"),
    ("tree=loaded.tree, last=target)", "tree=loaded.tree)"),
    ("tree=loaded.tree, last=target)", "tree=loaded.tree, last=loaded.last)"),
    ("after = _in_memory(after, decision.sent)\n    if rules.logs_after_trunc", "if rules.logs_after_trunc"),
    ("if rules.logs_after_trunc:", "if not rules.logs_after_trunc:"),
    ("if rules.logs_after_trunc:", "if True:"),
    ("if rules.logs_after_trunc:", "if False:"),
    ("Synced(_logged(after, decision.sent), decision, pvector(sorted(left)))",
     "Synced(after, decision, pvector(sorted(left)))"),
    ("Synced(_logged(after, decision.sent), decision, pvector(sorted(left)))",
     "Synced(_logged(after, decision.sent), decision, NOTHING_LEFT)"),
    ('Synced(_snapshot(rules, after, "TRUNC"), decision, pvector(sorted(left)))',
     "Synced(after, decision, pvector(sorted(left)))"),
    ('Synced(_snapshot(rules, after, "TRUNC"), decision, pvector(sorted(left)))',
     'Synced(_snapshot(rules, after, "TRUNC"), decision, NOTHING_LEFT)'),
    ('_snapshot(rules, after, "TRUNC")', '_snapshot(rules, after, "SNAP")'),
    ('_snapshot(rules, after, "TRUNC")', '_snapshot(rules, after, "DIFF")'),
)  # fmt: skip

MUTANTS = (*DECIDE, *FROM_RECORDS, *FROM_DISK, *TRUNCATED, *CUT, *TRUNCATE)
