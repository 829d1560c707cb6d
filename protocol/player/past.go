package player

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// past is what a seat remembers of its signatures at its table, and how much of it is in the
// history replayed.
type past struct {
	journal journal
	signed  wire.Hash // hash of the journal's entry
	rejoins bool      // whether the replay has yet to reach the journal's parent
	gave    bool      // whether it has reached where the seat last gave cards
	strayed bool      // whether it has found the journal's parent on a branch
	// whether the seat goes on in the history after signing on a branch, and has signed nothing
	// since
	leaves bool
	away   *wire.Entry // an entry of this seat in the log that is not the journal's
}

// setJournal takes over the journal of the vault.
func (p *past) setJournal(j journal) {
	entry, _ := wire.CutParcel(j.Entry)
	p.journal, p.signed = j, wire.HashEntry(entry)
}

func (p *past) beginReplay(genesis wire.Hash) {
	*p = past{journal: p.journal, signed: p.signed, rejoins: p.journal.hasSigned()}
	p.noteHead(genesis)
}

// noteHead records that the replay has reached head.
func (p *past) noteHead(head wire.Hash) {
	if head == p.journal.Parent {
		p.rejoins = false
	}
	p.gave = p.gave || head == p.journal.Cards
}

// entryOn returns what the seat has signed on an entry, with its blobs, or nil.
func (p *past) entryOn(head wire.Hash) []byte {
	if p.journal.Parent != head {
		return nil
	}
	return p.journal.Entry
}

// leaveBranch lets the seat go on in the history although it has signed on a branch beside it
// (52.10), where its entry counts nowhere and the seat is not late. It does so only once, so that
// the seat never returns to a parent that it has signed on, and only if every entry by which it
// gave cards is in the history: tokens and shuffles of two histories together can open hands.
func (p *past) leaveBranch() error {
	if p.journal.Left || p.journal.Cards != (wire.Hash{}) && !p.gave {
		return ErrBranch
	}
	p.leaves, p.rejoins = true, false
	return nil
}

// givesCards reports whether an entry must not be signed in two histories (46.9). Entries that do
// not parse count.
func givesCards(entry []byte) bool {
	bare, _ := wire.CutParcel(entry)
	e, err := wire.Parse(bare)
	switch {
	case err != nil:
		return true
	case e.Message != nil:
		return !slices.Contains([]wire.Kind{wire.KindKey, table.Move, table.Give, table.Permute}, e.Message.Kind)
	}
	return e.Act.Kind == wire.KindExpose
}
