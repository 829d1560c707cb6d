package tableset

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// SharedKeys are card keys with a common factor. Every reader of them learns the secrets behind them,
// unless they are one key, which only its owners can use. At one table that is a foul (50.4). Between
// tables it is reported beside the checks of the log and changes no verdict, since neither seat can
// have known of the other.
type SharedKeys struct {
	Keys []KeyAt `json:"keys"`
	Same bool    `json:"same,omitempty"` // they are one key, whose secret the log does not reveal
}

// KeyAt is a card key at the place where it was posted.
type KeyAt struct {
	Table wire.Hash `json:"table"`
	Seat  int       `json:"seat"`
	Name  string    `json:"name"`
	Index uint64    `json:"index"`
}

// CardKeys are the keys that were posted with their proofs under suites that find factors. The zero
// value is empty. Several goroutines may use it.
type CardKeys struct {
	mu   sync.Mutex
	by   proof.FactoringSuite // any of them
	keys []proof.Key
	at   []KeyAt
	seen map[keyPosting]bool
}

// keyPosting is a key that a seat of a table has posted.
type keyPosting struct {
	table wire.Hash
	seat  int
	key   string
}

// WatchSteps returns a function that records the key of a step and then calls next, unless that is
// nil.
func (k *CardKeys) WatchSteps(next func(wire.Hash, replay.Step)) func(wire.Hash, replay.Step) {
	return func(id wire.Hash, s replay.Step) {
		if m := s.Entry.Message; m != nil && m.Kind == wire.KindKey && s.After != nil && !s.IsVoid() && !s.IsFoul() && !s.IsAttempt() {
			k.noteKey(id, s)
		}
		if next != nil {
			next(id, s)
		}
	}
}

func (k *CardKeys) noteKey(id wire.Hash, s replay.Step) {
	suite, finds := s.Before.Suite().(proof.FactoringSuite)
	if !finds {
		return
	}
	key, err := suite.Encoding().ParseKey(postedKey(s))
	if err != nil {
		return // a message that was applied always has a key
	}
	seat := s.Entry.Message.Seat
	k.mu.Lock()
	defer k.mu.Unlock()
	this := keyPosting{id, seat, string(key.Bytes())}
	if k.seen[this] {
		return // anybody may put a copy of a table into another log
	}
	if k.seen == nil {
		k.seen = map[keyPosting]bool{}
	}
	k.seen[this] = true
	k.by, k.keys = suite, append(k.keys, key)
	k.at = append(k.at, KeyAt{id, seat, s.Before.SeatName(table.Seat(seat)), s.Index})
}

// postedKey returns the key in a message, which also has an anchor if seats ask for proofs (43.2.2).
func postedKey(s replay.Step) []byte {
	var bare wire.KeyBody
	var anchored wire.AnchoredKeyBody
	if _, asks := s.Before.AsksForProofs(); asks {
		if wire.DecodeBody(s.Entry.Message.Body, &anchored) != nil {
			return nil
		}
		return anchored.Key
	}
	if wire.DecodeBody(s.Entry.Message.Body, &bare) != nil {
		return nil
	}
	return bare.Key
}

// FindShared returns the keys with a common factor at the tables for which of returns true.
func (k *CardKeys) FindShared(of func(wire.Hash) bool) (list []SharedKeys) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var keys []proof.Key
	var at []KeyAt
	for i, place := range k.at {
		if of(place.Table) {
			keys, at = append(keys, k.keys[i]), append(at, place)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	for _, group := range k.by.SharedFactorGroups(keys) {
		s := SharedKeys{Same: true}
		for _, i := range group {
			s.Keys = append(s.Keys, at[i])
			s.Same = s.Same && bytes.Equal(keys[i].Bytes(), keys[group[0]].Bytes())
		}
		slices.SortFunc(s.Keys, func(a, b KeyAt) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), slices.Compare(a.Table[:], b.Table[:])) // of several logs, indexes may be equal
		})
		list = append(list, s)
	}
	return list
}
