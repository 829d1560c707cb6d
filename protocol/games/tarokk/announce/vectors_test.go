package announce_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// vectors reads a file of test vectors; a field that is not asked for is an error.
func vectors[V any](t *testing.T, name string) []V {
	t.Helper()
	file, err := os.Open("../../../../docs/spec/vectors/tarokk/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	d := json.NewDecoder(file)
	d.DisallowUnknownFields()
	var list []V
	if err := d.Decode(&list); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d vectors, %v", name, len(list), err)
	}
	return list
}

type announcement struct {
	ID       string    `json:"id"`
	Src      string    `json:"src"`
	Note     string    `json:"note"`
	Declarer string    `json:"declarer"`
	Turns    [][2]any  `json:"turns"`
	Illegal  string    `json:"illegal"`
	Expect   *expected `json:"expect"`
}

type expected struct {
	Ended  *bool             `json:"ended"`
	Side   map[string]string `json:"side"`
	Items  map[string]int    `json:"items"`
	Counts map[string]int    `json:"counts"`
	Holder json.RawMessage   `json:"holder_of_called"`
}

func seatOf(name any) int { return strings.Index("ABCD", name.(string)) }

// statements reads the turn of a vector, which calls cards by their numerals.
func statements(t *testing.T, turn any) []string {
	say := []string{}
	for _, text := range turn.([]any) {
		kind, name, _ := strings.Cut(text.(string), ":")
		if kind == "call" {
			name = deck.Name(faces(t, name)[0])
		}
		say = append(say, kind+":"+name)
	}
	return say
}

// The source's announcements and the derived ones: a wrong side, a step too
// many, an end too late, a count lost, an illegal turn accepted.
func TestAnnouncementVectors(t *testing.T) {
	list := slices.Concat(vectors[announcement](t, "announcements.json"), vectors[announcement](t, "announcements_derived.json"))
	for _, v := range list {
		s, err := v.play(t)
		switch rule, _, _ := strings.Cut(v.Illegal, " "); {
		case (v.Expect == nil) == (v.Illegal == ""):
			t.Fatalf("%s: a vector is either legal or illegal", v.ID)
		case v.Expect != nil && err != nil:
			t.Errorf("%s: %v", v.ID, err)
		case v.Expect != nil:
			v.Expect.check(t, v.ID, s)
		case err == nil || !strings.Contains(err.Error(), rule):
			t.Errorf("%s: got %v, want %s", v.ID, err, rule)
		}
	}
}

// play takes the turns; of an illegal vector only the last may be refused.
func (v announcement) play(t *testing.T) (announce.State, error) {
	t.Helper()
	p := public()
	p.Declarer = seatOf(v.Declarer)
	s := announce.New(p)
	for i, turn := range v.Turns {
		next, _, err := s.Turn(book(), seatOf(turn[0]), statements(t, turn[1]))
		if err != nil && i+1 < len(v.Turns) {
			t.Fatalf("%s: turn %d: %v", v.ID, i, err)
		}
		if err != nil {
			return s, err
		}
		s = next
	}
	return s, nil
}

func (e expected) check(t *testing.T, id string, s announce.State) {
	t.Helper()
	if _, over := s.Speaker(); e.Ended == nil || over != *e.Ended {
		t.Errorf("%s: ended is %t", id, over)
	}
	if e.Side != nil {
		for seat, side := range s.Sides {
			if want := strings.ReplaceAll(e.Side["ABCD"[seat:seat+1]], "unknown", ""); side.String() != want {
				t.Errorf("%s: seat %d is of %q, want %q", id, seat, side, want)
			}
		}
	}
	for _, a := range s.Items {
		if steps, ok := e.Items[a.Item.String()]; e.Items != nil && (!ok || steps != a.Contra) {
			t.Errorf("%s: %s has step %d, want %d (%t)", id, a.Item, a.Contra, steps, ok)
		}
	}
	if e.Items != nil && len(e.Items) != len(s.Items) {
		t.Errorf("%s: items %v, want %v", id, s.Items, e.Items)
	}
	for seat, n := range s.Counts {
		if want := e.Counts["ABCD"[seat:seat+1]]; e.Counts != nil && n != want {
			t.Errorf("%s: seat %d counts %d, want %d", id, seat, n, want)
		}
	}
	if e.Holder != nil {
		if got := holder(s); got != string(e.Holder) {
			t.Errorf("%s: holder of the called card is %s, want %s", id, got, e.Holder)
		}
	}
}

// holder is who is publicly the partner, as JSON.
func holder(s announce.State) string {
	for seat, side := range s.Sides {
		if seat != s.Declarer && side == score.Dec {
			return `"` + "ABCD"[seat:seat+1] + `"`
		}
	}
	return "null"
}

type call struct {
	ID       string   `json:"id"`
	Src      string   `json:"src"`
	Note     string   `json:"note"`
	Tarokks  []string `json:"declarer_tarokks"`
	Discard  []string `json:"own_discard"`
	Others   bool     `json:"others_discarded_tarokk"`
	Invit    *string  `json:"invit"`
	Allowed  []string `json:"allowed"`
	AloneIfs []string `json:"alone_if"`
}

// R-CALL-1 to R-CALL-7: the calls that are public and proved are those of the
// vector, no more and no fewer; and nobody can speak as partner of a declarer
// who called himself.
func TestCallVectors(t *testing.T) {
	for _, v := range vectors[call](t, "calls.json") {
		s := announce.New(v.public(t))
		own := cards{claim.Hand: append(faces(t, v.Tarokks...), deck.Plain.Faces()[:9-len(v.Tarokks)]...)}
		var allowed, alone []card.Face
		for _, f := range s.Calls(book()) {
			next, claims, err := s.Turn(book(), 0, []string{"call:" + deck.Name(f)})
			if err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			if own.fails(claims) != "" {
				continue
			}
			allowed = append(allowed, f)
			_, claims, err = next.Turn(book(), 1, []string{"fig:trull"})
			if err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			if v.others(t).fails(claims) == "A-PART" {
				alone = append(alone, f)
			}
		}
		same(t, v.ID+": allowed", allowed, faces(t, v.Allowed...))
		same(t, v.ID+": alone", alone, faces(t, v.AloneIfs...))
	}
}

func (v call) public(t *testing.T) announce.Public {
	p := public(opened(faces(t, v.Discard...)...))
	if v.Others {
		p.Tarokks[2] = 1
	}
	if v.Invit != nil {
		invited(3, faces(t, strings.TrimSuffix(*v.Invit, "_yielded"))[0])(&p)
	}
	return p
}

// others are all cards that are not the declarer's, in one hand.
func (v call) others(t *testing.T) cards {
	declarers := card.SetOf(faces(t, append(v.Discard, v.Tarokks...)...)...)
	return cards{claim.Hand: deck.Not(declarers).Faces()}
}

func same(t *testing.T, what string, got, want []card.Face) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
