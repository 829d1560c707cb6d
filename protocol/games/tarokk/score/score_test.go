package score_test

import (
	"encoding/json"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// R-CON-1: two texts for one item, or one text for two, would let a contra of
// one count for the other.
func TestItemTexts(t *testing.T) {
	seen := map[string]bool{}
	items := []score.Item{score.TheGame}
	for _, f := range score.Figures {
		items = append(items, score.Item{Side: score.Dec, Figure: f}, score.Item{Side: score.Def, Figure: f})
	}
	for _, i := range items {
		back, err := score.ParseItem(i.String())
		if err != nil || back != i || seen[i.String()] {
			t.Errorf("%s is read as %s, %v", i, back, err)
		}
		seen[i.String()] = true
	}
	if len(seen) != 13 || !seen["game"] || !seen["DEC.trull"] || !seen["DEF.pagat_ultimo"] {
		t.Errorf("items %v", seen)
	}
}

// What is no item is refused, and leaves an item that was there alone.
func TestParseItemRefuses(t *testing.T) {
	for _, text := range []string{"", ".", "game ", "DEC.game", "DEF.game", "DEC", "DEC.", ".trull", "dec.trull", "DEC.trull.trull", "DEF.ultimo", "Unknown.trull"} {
		i := score.Item{Side: score.Def, Figure: score.Volat}
		if err := i.UnmarshalText([]byte(text)); err == nil || i.String() != "DEF.volat" {
			t.Errorf("%q is read as %s, %v", text, i, err)
		}
	}
}

// A side and an item that are lost on their way through a state.
func TestJSON(t *testing.T) {
	type value struct {
		Side  score.Side
		Items map[score.Item]int
	}
	in := value{score.Def, map[score.Item]int{score.TheGame: 1, {Side: score.Def, Figure: score.Trull}: 2}}
	data, err := json.Marshal(in)
	if want := `{"Side":"DEF","Items":{"DEF.trull":2,"game":1}}`; err != nil || string(data) != want {
		t.Fatalf("got %s, %v, want %s", data, err, want)
	}
	var out value
	if err := json.Unmarshal(data, &out); err != nil || out.Side != in.Side || len(out.Items) != 2 || out.Items[score.TheGame] != 1 {
		t.Errorf("read back as %v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"Side":""}`), &out); err != nil || out.Side != score.Unknown {
		t.Errorf("no side is read as %q, %v", out.Side, err)
	}
	for _, bad := range []string{`{"Side":"dec"}`, `{"Side":1}`, `{"Items":{"DEC.game":1}}`} {
		testmust.Fail(t, json.Unmarshal([]byte(bad), &out), bad, "is read")
	}
	if s := score.Unknown; s.String() != "" || s.Other() != score.Unknown || score.Dec.Other() != score.Def || score.Def.Other() != score.Dec {
		t.Error("the other side of a side")
	}
}
