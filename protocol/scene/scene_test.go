package scene_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/scene"
)

// A message whose rule is not found, or a word of prose that is taken for one: a person
// is told the wrong reason.
func TestRulesIn(t *testing.T) {
	for text, want := range map[string][]string{
		"R-BID-1: a bid is lower":         {"R-BID-1"},
		"by OPT-FREE (see BGA-7, R-A).":   {"OPT-FREE", "BGA-7", "R-A"},
		"the rule R-SEAT-, and no others": {"R-SEAT"},
		"seat B may not, a-b, X-ray":      nil,
		"R--1 R- -R 7-R R_-A":             nil,
		"":                                nil,
	} {
		got := scene.RulesIn(text)
		testmust.Holdf(t, slices.Equal(got, want), "%q: %q, want %q", text, got, want)
	}
}

var packs = map[string]scene.Pack{"French": scene.FrenchPack, "German": scene.GermanPack, "French in German": scene.FrenchPackOf("de"), "French in Hungarian": scene.FrenchPackOf("hu")}

func suited(suit, rank string) scene.Face { return scene.Face{Suit: suit, Rank: rank} }

// fiftyTwo are the cards of a whole pack, and the riders of tarokk.
func fiftyTwo() (list []scene.Face) {
	for _, s := range strings.Split("CSHD", "") {
		for _, r := range strings.Fields("2 3 4 5 6 7 8 9 10 J R Q K A") {
			list = append(list, suited(s, r))
		}
	}
	return list
}

func trumps() (list []scene.Face) {
	for _, r := range strings.Fields("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI") {
		list = append(list, suited("T", r))
	}
	return append(list, suited("T", ""))
}

// Two cards with one picture, or one corner: a player takes one for the other. And a
// picture that is no well-formed XML, which a page would cut off.
func TestPicturesDiffer(t *testing.T) {
	for name, pack := range packs {
		whole, corner := map[string]scene.Face{}, map[string]scene.Face{}
		for _, f := range append(fiftyTwo(), trumps()...) {
			drawn := pack.Draw(f)
			testmust.Requiref(t, drawn != "", "%s: %+v has no picture", name, f)
			wellFormed(t, drawn)
			first, _, _ := strings.Cut(drawn, `rotate(180 30 48)`)
			other, double := whole[drawn]
			testmust.Holdf(t, !double, "%s: %+v and %+v have one picture", name, f, other)
			other, double = corner[first]
			testmust.Holdf(t, !double, "%s: %+v and %+v have one index", name, f, other)
			whole[drawn], corner[first] = f, f
		}
	}
}

// allowed are the elements and attributes of pictures: no text, no script, no style, no
// address, so that a strict policy of the page lets them through.
const (
	elements   = " g path rect circle ellipse symbol "
	attributes = " d x y rx ry r cx cy width height fill stroke stroke-width stroke-linecap stroke-linejoin transform id viewBox "
)

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader("<g>" + svg + "</g>"))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		testmust.Requiref(t, err == nil, "%v in %s", err, svg)
		switch token := token.(type) {
		case xml.CharData:
			t.Fatalf("text %q in %s", token, svg)
		case xml.StartElement:
			testmust.Requiref(t, strings.Contains(elements, " "+token.Name.Local+" "), "element %s", token.Name.Local)
			for _, a := range token.Attr {
				testmust.Requiref(t, strings.Contains(attributes, " "+a.Name.Local+" "), "attribute %s of %s", a.Name.Local, token.Name.Local)
			}
		}
	}
}

// A picture for what is no card: text from outside would come into a page.
func TestNoCardHasNoPicture(t *testing.T) {
	for _, f := range []scene.Face{{}, {Rank: "K"}, suited("X", "K"), suited("H", "11"), suited("H", "O"), suited("T", "XXII"), suited("T", "<b>"), suited("H", `"/><script>`), suited("T", "IIV")} {
		for name, pack := range packs {
			got := pack.Draw(f)
			testmust.Holdf(t, got == "" && pack.Symbol("x", f) == "", "%s: %+v is drawn as %s", name, f, got)
		}
	}
	wellFormed(t, scene.CardBack)
	wellFormed(t, scene.GermanPack.Symbol("card-CK", suited("C", "K")))
}
