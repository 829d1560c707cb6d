package tournament

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Shared is card keys in one log that have a factor in common: whoever reads the log knows the
// secrets behind them, unless they are one key, which only those who have it can use. At one table that is a foul (50.4); of several it is told beside the checks
// of the log and changes no verdict, since neither seat can have known of the other.
type Shared struct {
	Keys []KeyAt `json:"keys"`
	Same bool    `json:"same,omitempty"` // it is one key, whose secret nobody learns from the log
}

// KeyAt is a card key at the place where it was posted.
type KeyAt struct {
	Table wire.Hash `json:"table"`
	Seat  int       `json:"seat"`
	Name  string    `json:"name"`
	Index uint64    `json:"index"`
}

// cardKeys are those that were posted, with their proofs, by the suites that find factors.
type cardKeys struct {
	mu    sync.Mutex
	suite map[string]proof.Suite
	keys  map[string][]proof.Key
	at    map[string][]KeyAt
}

// watch notes the key of a step, and then tells next, if there is one.
func (k *cardKeys) watch(next func(wire.Hash, replay.Step)) func(wire.Hash, replay.Step) {
	return func(id wire.Hash, s replay.Step) {
		if m := s.Entry.Message; m != nil && m.Kind == wire.KindKey && s.After != nil && !s.Void() && !s.Foul() && !s.Attempt() {
			k.note(id, s)
		}
		if next != nil {
			next(id, s)
		}
	}
}

func (k *cardKeys) note(id wire.Hash, s replay.Step) {
	suite := s.Before.Suite()
	if _, finds := suite.(proof.Factoring); !finds {
		return
	}
	var body wire.KeyBody
	if wire.DecodeBody(s.Entry.Message.Body, &body) != nil {
		return
	}
	key, err := suite.Encoding().ParseKey(body.Key)
	if err != nil {
		return // of what was applied there is none
	}
	seat := s.Entry.Message.Seat
	k.mu.Lock()
	defer k.mu.Unlock()
	name := suite.Name()
	k.suite[name] = suite
	k.keys[name] = append(k.keys[name], key)
	k.at[name] = append(k.at[name], KeyAt{id, seat, s.Before.SeatName(table.Seat(seat)), s.Index})
}

// shared finds those that have a factor in common.
func (k *cardKeys) shared() (list []Shared) {
	for _, name := range slices.Sorted(maps.Keys(k.suite)) {
		for _, group := range k.suite[name].(proof.Factoring).Common(k.keys[name]) {
			s := Shared{Same: true}
			for _, i := range group {
				s.Keys = append(s.Keys, k.at[name][i])
				s.Same = s.Same && bytes.Equal(k.keys[name][i].Bytes(), k.keys[name][group[0]].Bytes())
			}
			slices.SortFunc(s.Keys, func(a, b KeyAt) int { return cmp.Compare(a.Index, b.Index) })
			list = append(list, s)
		}
	}
	return list
}
