package player

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// past is what a seat remembers of what it has signed at its table, and how far that is in the history that it replays.
type past struct {
	journal journal
	signed  wire.Hash   // of the journal's message
	rejoins bool        // the replay has not come to the journal's parent yet
	gave    bool        // it has come to where the seat gave cards last
	strayed bool        // it has come to the journal's parent on a branch
	leaves  bool        // the seat goes on in the history although it has signed on a branch, and has signed nothing since
	away    *wire.Entry // of this seat, in the log, and not in the journal
}

// setJournal takes what is in the vault for this seat's journal.
func (p *past) setJournal(j journal) {
	entry, _ := wire.CutParcel(j.Entry)
	p.journal, p.signed = j, wire.HashEntry(entry)
}

func (p *past) beginReplay(genesis wire.Hash) {
	*p = past{journal: p.journal, signed: p.signed, rejoins: p.journal.hasSigned()}
	p.noteHead(genesis)
}

// noteHead notes where the replay is.
func (p *past) noteHead(head wire.Hash) {
	if head == p.journal.Parent {
		p.rejoins = false
	}
	p.gave = p.gave || head == p.journal.Cards
}

// entryOn is what the seat has signed on an entry, with its blobs; nil if nothing.
func (p *past) entryOn(head wire.Hash) []byte {
	if p.journal.Parent != head {
		return nil
	}
	return p.journal.Entry
}

// leaveBranch has the seat go on in the history, although it has signed on a branch that the log shows
// beside it (52.10): what it has signed there counts nowhere, and it is not late. It does so once, so that it
// never comes back to a parent that it has signed on; and only if all that it gave cards by is in the history, since tokens
// and shuffles of two histories together can open hands.
func (p *past) leaveBranch() error {
	if p.journal.Left || p.journal.Cards != (wire.Hash{}) && !p.gave {
		return ErrBranch
	}
	p.leaves, p.rejoins = true, false
	return nil
}

// givesCards reports whether an entry must not be signed in two histories (46.9).
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
