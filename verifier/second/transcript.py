"""Transcripts: the frames that are absorbed, and the challenges drawn from them (chapter 20)."""
import hashlib
CONTEXT = ("version", "suite", "rules", "table", "deck", "keys", "deal", "parent", "kind", "seat", "slot")

class Transcript:  # A sequence of frames (20.1); a copy goes on from where it was made.
    def __init__(self, state=None): self.state = state or hashlib.shake_256()
    def copy(self): return Transcript(self.state.copy())  # Another transcript with the same frames so far.
    def absorb(self, label, *values):  # One frame, with the values joined (20.1, 20.1.2).
        label, data = label.encode(), b"".join(values)
        self.state.update(len(label).to_bytes(8, "big") + label + len(data).to_bytes(8, "big") + data)
    def statement(self, label, *pairs):  # The frames of a statement: its label, then each label with its values (20.3).
        self.absorb("statement", label.encode())
        self.send(*pairs)
    def send(self, *pairs, **values):  # A frame for each value or list of values, under its label (20.3, 20.4).
        for label, value in [*pairs, *values.items()]:
            self.absorb(label, *([value] if isinstance(value, bytes) else value))
    def draw(self, name):  # The 64 bytes of a challenge (20.5).
        self.absorb("challenge", name.encode())
        return self.state.copy().digest(64)
    def scalar(self, name, order): return int.from_bytes(self.draw(name), "little") % order  # 20.5.1
def context(suite, rules, table, deck, keys, deal, parent, kind, seat, slot):
    """A transcript that begins with the eleven frames of 20.2; hashes are 32 bytes."""
    values = (b"pakli/v1", suite.encode(), rules.encode(), table, deck, keys, deal.to_bytes(4, "big"), parent,
              kind.encode(), bytes([seat]), slot.to_bytes(2, "big"))
    transcript = Transcript()
    for label, value in zip(CONTEXT, values): transcript.absorb(label, value)
    return transcript
