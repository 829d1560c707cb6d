"""What vectors have and no table needs: policies (66.2), receipts' proofs, comparing two sources (85.6).

Tests use it, and the verifier does not.
"""

import re
from types import SimpleNamespace

import wire
from log import CannotCheck, LogBroken, node, signers, split_point, tree_root
from proofs import FAMILIES
from residues import Residues
from verify import parsed
from wire import need, parse_key


def inclusion_root(leaf, index, size, path):
    """The root to which an audit path leads (RFC 6962, 2.1.1; 65.5.4)."""
    if size == 1:
        need(not path, "path")
        return leaf
    need(path, "path")
    half = split_point(size)
    if index < half:
        return node(inclusion_root(leaf, index, half, path[:-1]), path[-1])
    return node(path[-1], inclusion_root(leaf, index - half, size - half, path[:-1]))


# --- policies (66.2) ---------------------------------------------------------------------

def parse_policy(text):
    """The logs of a policy, its cosigners, groups and quorum by name (66.2.1 to 66.2.3)."""
    need(text.endswith("\n") and len(text) <= 512 << 10 and not re.search("[\x00-\x08\x0b-\x1f]", text), "policy")
    policy = SimpleNamespace(logs=[], members={}, quorum=None)
    used = {"none"}
    for line in text.split("\n"):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "log" and len(words) in (2, 3):
            policy.logs.append(parse_key(words[1], (1, 6)))
        elif words[0] == "witness" and len(words) in (3, 4):
            need(words[1] not in policy.members and words[1] != "none", "name")
            policy.members[words[1]] = parse_key(words[2], (4, 6))
        elif words[0] == "group" and len(words) >= 4:
            _add_group(policy, used, words[1], words[2], words[3:])
        else:
            need(words[0] == "quorum" and len(words) == 2 and policy.quorum is None, "line")
            need(words[1] == "none" or words[1] in policy.members, "quorum")
            policy.quorum = words[1]
    keys = policy.logs + [key for key in policy.members.values() if not isinstance(key, tuple)]
    need(policy.quorum and policy.logs and wire.distinct(keys), "policy")
    return policy


def _add_group(policy, used, name, count, members):
    """A group of a policy: each of its members is defined before, and in no other group (66.2.2)."""
    need(name not in policy.members and name != "none", "name")
    for member in members:
        need(member in policy.members and member not in used, "member")
        used.add(member)
    number = {"all": str(len(members)), "any": "1"}.get(count, count)
    need(re.fullmatch("[1-9][0-9]?", number) and int(number) <= len(members), "count")
    policy.members[name] = (int(number), members)


def satisfied(policy, checkpoint):
    """Whether the cosigners of a checkpoint are a quorum; None if one of their lines is false (66.2.4)."""
    keys = [key for key in policy.members.values() if not isinstance(key, tuple)]
    signed = signers(checkpoint, keys)

    def holds(name):
        member = policy.members[name]
        if isinstance(member, tuple):
            return sum(map(holds, member[1])) >= member[0]
        return member in signed
    if signed is None:
        return None
    return policy.quorum == "none" or holds(policy.quorum)


# --- residues of which no game that opens has need (32.3, 32.4) ---

class Arranged(Residues):
    """Cuts, insertions and new cards."""

    def arrange(self, tr, proof, key, before, after, family):
        """32.4 with an order `cut`; or 32.3 with a branch for each place of the card that is inserted."""
        if family == "cut":
            return self.shuffle(tr, proof, key, before, after, cut=True)
        tr.statement("insert/residues/v1", ("key", key))
        for label, cards in (("in", before), ("out", after)):
            for card in cards:
                tr.absorb(label, self.coded(card))
        branches = []
        for k in range(len(before)):
            came = [self.rows(before[place]) for place in FAMILIES["insert"](len(before), k)]
            branches.append([(i, tuple(a * b % m for one, other in zip(came, after) for a, b in zip(one[i][1], other[i][1])))
                             for i, m in enumerate(self.moduli)])
        return self.parity(tr, proof, branches)

    def mint(self, tr, proof, key, deck, card, faces):
        """32.3 with a branch for each face."""
        tr.statement("mint/residues/v1", ("key", key), ("deck", deck.id), ("card", self.coded(card)))
        for face in faces:
            tr.absorb("face", face.to_bytes(8, "big"))
        self.parity(tr, proof, [[(0, self.turned(card[0][1], face, self.moduli[0])), *card[1:]] for face in faces])


# --- comparing two sources of one log (85.6) ---

def compare(source, other):
    """L3: two sources of one log that cannot both be true, or of which one leaves entries out (85.6)."""
    small, large = sorted((source, other), key=lambda one: one.checkpoint.size)
    sizes = small.checkpoint.size, large.checkpoint.size
    if source.checkpoint.origin != other.checkpoint.origin:
        raise CannotCheck("another log", "L3-history")
    if sizes[0] == sizes[1] and small.checkpoint.root != large.checkpoint.root:
        raise LogBroken("a fork: two roots of one size", "L3-history")
    if any(other.entries.get(index, data) != data for index, data in source.entries.items()):
        raise LogBroken("another history: two entries at one index", "L3-history")
    if large.whole and tree_root(large.leaves[:sizes[0]]) != small.checkpoint.root:
        raise LogBroken("another history: another root", "L3-history")
    if source.whole and source is small and not other.whole:
        raise CannotCheck("the other source shows a later history that this one does not have", "L3-history")
    left_out = [index for index, data in table_entries(other, source)
                if index < source.checkpoint.size and index not in source.entries]
    if left_out:
        raise CannotCheck(f"entry {left_out[0]} of the table is left out", "L3-history")

def table_entries(source, of):
    """The entries of a source that are of the table which a bundle shows."""
    genesis = None if of.whole else parsed(next(d for d in of.entries.values() if wire.entry_hash(d) == of.manifest.table))
    for index, data in source.entries.items() if genesis else ():
        entry = parsed(data)
        if entry and (entry.hash == genesis.hash or wire.concerns(entry, genesis)):
            yield index, data

