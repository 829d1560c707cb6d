package schwarzerpeter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// cheats are what a seat may try at the first duty of a kind.
var cheats = []struct {
	id, how string
	due     table.Kind
	lies    func(verifiertest.Played, table.Duty) []verifiertest.Lie
}{
	{"SP-S5, SP-C4", "hands over another card than was drawn", table.Give, func(p verifiertest.Played, d table.Duty) []verifiertest.Lie {
		other := slices.DeleteFunc(slices.Clone(p.State.Hand(d.Seats[0])), func(c table.Card) bool { return c == d.Cards[0] })
		return []verifiertest.Lie{p.Given(d, p.State.Masked(other[:1]))}
	}},
	{"SP-S6", "permutes a hand in which a card is another one's copy", table.Permute, func(p verifiertest.Played, d table.Duty) []verifiertest.Lie {
		seat, hand := d.Seats[0], p.State.Masked(d.Cards)
		in := slices.Concat([]proof.Masked{p.Copied(seat, hand[1])}, hand[1:])
		return []verifiertest.Lie{p.Shuffled("a copy", seat, table.Permute, p.State.CardKey(seat), hand, in)}
	}},
	{"SP-S3, SP-C1", "calls two cards a pair", table.Move, func(p verifiertest.Played, d table.Duty) []verifiertest.Lie {
		seat := d.Seats[0]
		faces, o := p.Hand(seat), public(p.Table).Options
		names := func(c table.Card) string { return p.State.FaceName(faces[c]) }
		cards := p.State.Hand(seat)
		i := slices.IndexFunc(cards, func(c table.Card) bool { return c != cards[0] && !naivePair(o, names(cards[0]), names(c)) })
		claim := map[string][2]string{"article": {"1a", "1b"}, "common": {"7H", "7D"}}[o.Rules]
		pair := sp.Pair{{Card: cards[0], Face: claim[0]}, {Card: cards[i], Face: claim[1]}}
		return p.Bluffs(table.CheckFace, seat, testmust.Have(json.Marshal(sp.Move{Lay: &[]sp.Pair{pair}}))(p.T))
	}},
}

func tried() (list []verifiertest.Cheat) {
	for _, rules := range []string{"article", "common"} {
		for _, c := range cheats {
			list = append(list, verifiertest.Cheat{ID: c.id, How: fmt.Sprint(c.how, " ", rules), Told: func(t *testing.T, config tabletest.Config) (*tabletest.Table, []verifiertest.Lie) {
				config.Seats, config.Options = 2, options{"rules": rules}
				p := verifiertest.Played{T: t, Table: testmust.Have(tabletest.New(game, config, 3))(t)}
				d := testmust.Have(p.PlayUntil(c.due))(t)
				return p.Table, c.lies(p, d)
			}})
		}
	}
	return list
}

// SP-S3, SP-S5, SP-S6, SP-C1, SP-C4: each cheat at a table of two, in both rule sets.
func TestCheats(t *testing.T) { verifiertest.Try(t, tried()) }

// The same by the suites that cut and choose, whose proofs are sent apart from the entries: at the table
// alone. Where others ask for the proof of a shuffle, who cheats by one is blamed in his answer.
func TestCheatsByCutAndChoose(t *testing.T) {
	names, list := []string{"ristretto255-cutandchoose/v1", "ristretto255-cutandchoose-chosen40/v1"}, tried()
	chosen := thorough.Some(t, len(names)*len(list), 2)
	for i := range len(names) * len(list) {
		name, c := names[i%2], list[i/2]
		if !chosen(i) {
			continue
		}
		t.Run(c.How+" "+name, func(t *testing.T) {
			s, _ := suite.Lookup(name)
			played, lies := c.Told(t, tabletest.Config{Suite: s})
			_, asks := played.State.Asks()
			if asks && lies[0].Check == table.CheckShuffle {
				testmust.Do(t, played.BlamedInAnswer(lies[0].Entry))
				return
			}
			_, err := tabletest.Apply(played.State, lies[0].Entry)
			if f, _ := errors.AsType[*table.Fault](err); f == nil || f.Class != table.Foul || f.Check != lies[0].Check {
				t.Errorf("%v, want a foul found by %s", err, lies[0].Check)
			}
		})
	}
}
