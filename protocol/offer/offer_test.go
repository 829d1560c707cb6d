package offer_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

type person struct {
	key    string
	signer note.Signer
}

func newPerson(t testing.TB, name string) person {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, name)
	testmust.Do(t, err)
	s := testmust.Have(note.NewSigner(secret))(t)
	return person{public, s}
}

func newOffer(t testing.TB, organiser person, log string) *offer.Offer {
	t.Helper()
	nonce := make([]byte, wire.NonceBytes)
	rand.Read(nonce)
	o := testmust.Have(offer.Offer{
		Table:  wire.Genesis{Game: "tarokk/v1", Suite: "x/v1", Options: map[string]string{"preset": "a"}, Deals: 2, Fouls: wire.RefuseFouls, Organiser: organiser.key},
		Places: 3, Title: "Thursday", Log: log, Nonce: nonce,
	}.Sign(organiser.signer))(t)
	return o
}

// A table that is not what was offered, in each field, and a player who posts a card key there.
func TestCheckNamesTheField(t *testing.T) {
	anna, bela, csilla, log := newPerson(t, "anna"), newPerson(t, "bela"), newPerson(t, "csilla"), newPerson(t, "log")
	o := newOffer(t, anna, log.key)
	seats := []offer.Seat{{Key: anna.key}, {Key: bela.key}, {Key: csilla.key}}
	for field, change := range map[string]func(g *wire.Genesis) note.Signer{
		"":          func(*wire.Genesis) note.Signer { return anna.signer },
		"entry":     func(*wire.Genesis) note.Signer { return bela.signer }, // signed by another
		"organiser": func(g *wire.Genesis) note.Signer { g.Organiser = bela.key; return bela.signer },
		"nonce":     func(g *wire.Genesis) note.Signer { g.Nonce = bytes.Clone(g.Nonce); g.Nonce[0]++; return anna.signer },
		"game":      func(g *wire.Genesis) note.Signer { g.Game = "skat/v1"; return anna.signer },
		"suite":     func(g *wire.Genesis) note.Signer { g.Suite = "y/v1"; return anna.signer },
		"options":   func(g *wire.Genesis) note.Signer { g.Options["stakes"] = "1"; return anna.signer },
		"deals":     func(g *wire.Genesis) note.Signer { g.Deals++; return anna.signer },
		"fouls":     func(g *wire.Genesis) note.Signer { g.Fouls = wire.RecordFouls; return anna.signer },
		"seats":     func(g *wire.Genesis) note.Signer { g.Seats = g.Seats[:2]; return anna.signer },
	} {
		g := o.TableGenesis(seats)
		by := change(g)
		entry := testmust.Have(wire.Sign(g, by))(t)
		_, err := o.CheckGenesis(entry, bela.key, nil)
		m, ok := errors.AsType[*offer.Mismatch](err)
		testmust.Holdf(t, (field != "" || err == nil) && (field == "" || ok && m.Field == field), "%q changed: %v", field, err)
		_, err = o.CheckGenesis(entry, newPerson(t, "dezso").key, nil)
		testmust.Fail(t, err, field, "a table without my key is mine")
	}
	testmust.Equal(t, o.Table.Options["stakes"], "", "a table shares its options with the offer")
	twice := *o.TableGenesis([]offer.Seat{{Key: bela.key}, {Key: bela.key}, {Key: anna.key}})
	doc, _ := wire.SignDocument(&twice, anna.signer)
	testmust.FailSaying(t, testmust.ErrorOf(o.CheckGenesis(doc, bela.key, nil)), "seats", "my key twice")
	second := newOffer(t, anna, log.key)
	testmust.Hold(t, !bytes.Equal(o.TableNonce(), second.TableNonce()), "two offers of the same terms are one")
}

// selfRuled is an offer of a table/v2.
func selfRuled(t testing.TB, organiser person, log string, change func(*offer.Offer)) (*offer.Offer, error) {
	t.Helper()
	o := *newOffer(t, organiser, log)
	o.Table.Ends = offer.EndsOf(5)
	change(&o)
	return o.Sign(organiser.signer)
}

// A stranger's table at which the stranger rules, a player under a name that no join has, and terms that one sees only once
// one sits there: each field of a table/v2.
func TestNobodyRulesAtAnOffer(t *testing.T) {
	anna, bela, csilla, log := newPerson(t, "anna"), newPerson(t, "bela"), newPerson(t, "csilla"), newPerson(t, "log")
	o := testmust.Have(selfRuled(t, anna, log.key, func(*offer.Offer) {}))(t)
	join := func(p person, name string) *offer.Join {
		return testmust.Have(offer.SignJoin(o, p.key, name, p.signer))(t)
	}
	joins := []*offer.Join{join(anna, "Kovács Anna"), join(bela, "Grün-Weiß")}
	var seats []offer.Seat
	for _, p := range []person{anna, bela, csilla} { // csilla's key came to anna another way
		seat, _ := offer.SeatOf(p.key, joins)
		seats = append(seats, seat)
	}
	clock := wire.Clock{Keepers: []string{typedKeeper(t)}, Lines: []string{}, Quorum: 1, Tick: 5, Move: 9}
	for field, change := range map[string]func(g *wire.Genesis){
		"": func(*wire.Genesis) {}, "ends": func(g *wire.Genesis) { g.Ends.Forfeit++ }, "ends ": func(g *wire.Genesis) { g.Ends.SelfRuled = false },
		"ends  ": func(g *wire.Genesis) { g.Ends.SelfRuled, g.Arbiters = false, []string{anna.key} }, "clock": func(g *wire.Genesis) { g.Clock = clock },
		"event":  func(g *wire.Genesis) { g.Event, g.Ends.SelfRuled = strings.Repeat("0", 64), false },
		"names":  func(g *wire.Genesis) { g.Names[0] = "Kovács Éva" },
		"names ": func(g *wire.Genesis) { g.Names[2] = "Grün" }, "names  ": func(g *wire.Genesis) { g.Names[1] = "" },
	} {
		g := o.TableGenesis(seats)
		change(g)
		_, err := o.CheckGenesis(testmust.Have(wire.Sign(g, anna.signer))(t), bela.key, joins)
		m, ok := errors.AsType[*offer.Mismatch](err)
		testmust.Holdf(t, (field != "" || err == nil) && (field == "" || ok && m.Field == strings.TrimSpace(field)), "%q changed: %v", field, err)
	}
	seats[2].Name = ""
	lookalike := append(joins[:2:2], join(csilla, "GRüN-WEIß"))
	seats[2], _ = offer.SeatOf(csilla.key, lookalike)
	entry := testmust.Have(wire.Sign(o.TableGenesis(seats), anna.signer))(t)
	testmust.FailSaying(t, testmust.ErrorOf(o.CheckGenesis(entry, bela.key, lookalike)), "names", "two names that look alike")

	for what, change := range map[string]func(*offer.Offer){
		"a ruler": func(o *offer.Offer) { o.Table.Ends.SelfRuled = false; o.Table.Format = wire.TableFormat2 },
		"names":   func(o *offer.Offer) { o.Table.Names = []wire.Text{"Anna"} }, "arbiters": func(o *offer.Offer) { o.Table.Arbiters = []string{bela.key} },
		"an event": func(o *offer.Offer) { o.Table.Event = strings.Repeat("0", 64) }, "a round": func(o *offer.Offer) { o.Table.Round = 1 },
		"no end": func(o *offer.Offer) { o.Table.Ends.Agree = false },
	} {
		changed := *o
		change(&changed)
		doc, err := wire.SignDocument(changed, anna.signer)
		if err == nil {
			_, err = offer.Parse(doc)
		}
		testmust.Fail(t, err, what, "taken")
	}
	for _, name := range []string{" ", "a,b", "\u202eanna", "\u3164", "Be\u0301la", "аnna", "…"} {
		testmust.Fail(t, testmust.ErrorOf(offer.SignJoin(o, bela.key, name, bela.signer)), name, "is a name")
	}
}

// typedKeeper is the verifier key of a cosigner.
func typedKeeper(t testing.TB) string {
	t.Helper()
	raw := testmust.Have(base64.StdEncoding.DecodeString(wire.KeyMaterial(newPerson(t, "k").key)))(t)
	raw[0] = 4
	sum := sha256.Sum256(append([]byte("k\n"), raw...))
	return fmt.Sprintf("k+%x+%s", sum[:4], base64.StdEncoding.EncodeToString(raw))
}

// A table of the same players that is not what they play again: other terms, another order, somebody else among
// them; and a stranger whose offer stands in the way of theirs.
func TestAgain(t *testing.T) {
	anna, bela, csilla, log := newPerson(t, "anna"), newPerson(t, "bela"), newPerson(t, "csilla"), newPerson(t, "log")
	first := testmust.Have(selfRuled(t, anna, log.key, func(*offer.Offer) {}))(t)
	g := first.TableGenesis([]offer.Seat{{Key: anna.key, Name: "Anna"}, {Key: bela.key, Name: "Béla"}, {Key: csilla.key}})
	id := wire.HashEntry(testmust.Have(wire.Sign(g, anna.signer))(t))
	offered := func(by person, change func(*offer.Offer)) (*offer.Offer, error) {
		o := testmust.Have(offer.AgainTerms(id, g, by.key))(t)
		o.Log, o.Nonce = log.key, make([]byte, wire.NonceBytes)
		change(&o)
		return o.Sign(by.signer)
	}
	o := testmust.Have(offered(bela, func(*offer.Offer) {}))(t)
	testmust.Holdf(t, o.IsAgain(id, g) && slices.Equal(o.Kept, []string{bela.key, csilla.key, anna.key}) && o.Table.Event == "", "%+v", o)
	for what, change := range map[string]func(*offer.Offer){
		"other terms": func(o *offer.Offer) { o.Table.Ends.Forfeit = 500 }, "the same dealer": func(o *offer.Offer) { o.Kept = g.Seats },
		"another table": func(o *offer.Offer) { o.After = first.Hash.String() }, "a guest": func(o *offer.Offer) { o.Kept = []string{bela.key, csilla.key, log.key} },
	} {
		other, err := offered(bela, change)
		testmust.Holdf(t, err == nil && !other.IsAgain(id, g), "%s: %v", what, err)
	}
	for what, change := range map[string]func(*offer.Offer){
		"not a player": func(o *offer.Offer) { o.Kept = []string{anna.key, csilla.key, log.key} }, "places for some": func(o *offer.Offer) { o.Kept = o.Kept[:2] },
		"after none": func(o *offer.Offer) { o.After = "" }, "twice": func(o *offer.Offer) { o.Kept = []string{bela.key, bela.key, anna.key} },
		"ruled": func(o *offer.Offer) { o.Table.Ends = wire.Ends{} },
	} {
		testmust.Fail(t, testmust.ErrorOf(offered(bela, change)), what, "is an offer")
	}
	testmust.Fail(t, testmust.ErrorOf(offer.SignJoin(o, log.key, "Log", log.signer)), "a stranger takes a kept place")
	goesOn := func(by person, change func(*offer.Offer)) bool {
		next := o.OpenTerms(by.key)
		next.Log, next.Nonce = log.key, make([]byte, wire.NonceBytes)
		change(&next)
		return testmust.Have(next.Sign(by.signer))(t).GoesOn(o)
	}
	testmust.Hold(t, goesOn(anna, func(*offer.Offer) {}), "nobody who waits is led to where one of them goes on")
	testmust.Hold(t, !goesOn(log, func(*offer.Offer) {}), "they are led to a stranger's table")
	testmust.Hold(t, !goesOn(anna, func(n *offer.Offer) { n.Table.Ends.Forfeit = 500 }), "they are led to other terms")
	testmust.Hold(t, !goesOn(anna, func(n *offer.Offer) { n.Places++ }), "they are led to a table of more")
	ruled := *g
	ruled.Ends.SelfRuled = false
	testmust.Fail(t, testmust.ErrorOf(offer.AgainTerms(id, &ruled, anna.key)), "players of an organiser's table begin another one")
	swapped := o.TableGenesis([]offer.Seat{{Key: anna.key, Name: "Anna"}, {Key: bela.key, Name: "Béla"}, {Key: csilla.key}})
	testmust.FailSaying(t, testmust.ErrorOf(o.CheckGenesis(testmust.Have(wire.Sign(swapped, bela.signer))(t), anna.key, nil)), "seats", "in another order")
}

// Documents of others, and such as have two spellings: whoever can write one of them
// puts words into another's mouth, or has one place counted twice.
func TestDocumentsAreSignedByWhomTheyName(t *testing.T) {
	anna, bela, log := newPerson(t, "anna"), newPerson(t, "bela"), newPerson(t, "log")
	o := newOffer(t, anna, log.key)
	for name, change := range map[string]func(*offer.Offer){
		"seats":      func(o *offer.Offer) { o.Table.Seats = []string{bela.key} },
		"no seats":   func(o *offer.Offer) { o.Table.Seats = nil },
		"nonce":      func(o *offer.Offer) { o.Table.Nonce = []byte{1} },
		"own nonce":  func(o *offer.Offer) { o.Nonce = []byte{1} },
		"places":     func(o *offer.Offer) { o.Places = 17 },
		"one place":  func(o *offer.Offer) { o.Places = 1 },
		"title":      func(o *offer.Offer) { o.Title = strings.Repeat("x", 81) },
		"quotes":     func(o *offer.Offer) { o.Title = `"` },
		"umlaut":     func(o *offer.Offer) { o.Title = "ő" },
		"log":        func(o *offer.Offer) { o.Log = "log" },
		"format":     func(o *offer.Offer) { o.Format = "offer/v2" },
		"its format": func(o *offer.Offer) { o.Table.Format = "table/v2" },
		"deals":      func(o *offer.Offer) { o.Table.Deals = 0 },
		"organiser":  func(o *offer.Offer) { o.Table.Organiser = bela.key },
		"clock":      func(o *offer.Offer) { o.Table.Clock.Move = 1 },
		"options":    func(o *offer.Offer) { o.Table.Options = nil },
	} {
		changed := *o
		changed.Table.Options = maps.Clone(o.Table.Options)
		change(&changed)
		doc, err := wire.SignDocument(changed, anna.signer)
		if err == nil {
			_, err = offer.Parse(doc)
		}
		testmust.Fail(t, err, name, "taken")
	}
	j := testmust.Have(offer.SignJoin(o, bela.key, "", bela.signer))(t)
	testmust.Fail(t, testmust.ErrorOf(offer.SignJoin(o, bela.key, "", anna.signer)), "somebody joins for another")
	renamed := *j
	renamed.Name = "anna"
	doc := testmust.Have(wire.SignDocument(renamed, bela.signer))(t)
	testmust.Fail(t, o.CheckJoin(testmust.Have(offer.ParseJoin(doc))(t)), "at a table/v1 somebody joins under another's name")
	l, err := offer.SignLeave(o.Hash, j.Hash, bela.signer)
	testmust.Holdf(t, err == nil && l.IsSignedBy(bela.key) && !l.IsSignedBy(anna.key), "a leave is not its signer's alone: %v", err)
	testmust.Fail(t, testmust.ErrorOf(wire.Parse(o.Text)), "a log takes an offer for an entry")
}

// An invitation that pins less than it seems to: cut short by a mail program, or changed.
func TestInvitations(t *testing.T) {
	anna, log := newPerson(t, "anna"), newPerson(t, "log")
	o, other := newOffer(t, anna, log.key), newOffer(t, anna, newPerson(t, "log").key)
	link := offer.Invite("https://cards.example/", o, 7).String()
	i, err := offer.ReadInvitation(link)
	testmust.Requiref(t, err == nil && i.String() == link && i.Server == "https://cards.example" && i.CheckOffer(o) == nil && i.CheckOffer(other) != nil,
		"%s is read as %s: %v", link, i, err)
	for n := strings.Index(link, "#") + 2; n < len(link); n++ {
		testmust.Fail(t, testmust.ErrorOf(offer.ReadInvitation(link[:n])), "cut to", n, "bytes it is an invitation")
	}
	moved := offer.Invite("https://cards.example", other, 7).String()
	_, err = offer.ReadInvitation(link[:strings.Index(link, "#")] + moved[strings.Index(moved, "#"):])
	testmust.Fail(t, err, "the code is of another offer than the link")
	code := offer.Code(o.Hash)[:6]
	typed := strings.ToLower(strings.NewReplacer("0", "o", "1", "L").Replace(code[:3] + "-" + code[3:]))
	i, err = offer.ReadInvitation(typed)
	testmust.Holdf(t, err == nil && i.Code == code && !i.Pinned && i.CheckOffer(o) == nil, "%q is read as %+v: %v", typed, i, err)
	for _, wrong := range []string{"", "ABCD", "ABCDU", "ftp://x/j/ABCDE", "https://x/k/ABCDE", strings.Repeat("A", 60)} {
		testmust.Fail(t, testmust.ErrorOf(offer.ReadInvitation(wrong)), wrong, "is read")
	}
}

// A code that a server makes up: longer than a hash, another offer's, or orders to a terminal.
func TestLettersOfAServer(t *testing.T) {
	anna, log := newPerson(t, "anna"), newPerson(t, "log")
	o, other := newOffer(t, anna, log.key), newOffer(t, anna, log.key)
	code := offer.Code(o.Hash)
	for said, want := range map[string]int{
		"": offer.MinCode, code[:3]: offer.MinCode, code[:7]: 7, code: len(code),
		code + code: offer.MinCode, strings.Repeat("A", 100): offer.MinCode, offer.Code(other.Hash)[:8]: offer.MinCode, code[:6] + "\x1b[2J": offer.MinCode,
	} {
		got := o.CodeLetters(said)
		testmust.Holdf(t, got == want && offer.Invite("https://cards.example", o, got).Code == code[:want], "said %q: %d letters, want %d", said, got, want)
	}
}

// Words of a key that change with its name: whoever makes a key would choose names until
// they fit, at no cost.
func TestWordsAreOfTheKeyAlone(t *testing.T) {
	anna := newPerson(t, "anna")
	_, rest, _ := strings.Cut(anna.key, "+")
	w := offer.KeyWords(anna.key)
	testmust.Holdf(t, len(strings.Split(w, "-")) == 4 && w == offer.KeyWords("bela+"+rest) && w != offer.KeyWords(newPerson(t, "anna").key),
		"words of %s: %q", anna.key, w)
	testmust.Hold(t, offer.KeyWords("") == "" && offer.KeyWords("a+b+???") == "", "what is no key has words")
}

// A document that is taken and could have been written in another way, or crashes its reader.
func FuzzParse(f *testing.F) {
	anna, log := newPerson(f, "anna"), newPerson(f, "log")
	o := newOffer(f, anna, log.key)
	j, _ := offer.SignJoin(o, anna.key, "", anna.signer)
	l, _ := offer.SignLeave(o.Hash, j.Hash, anna.signer)
	p, _ := offer.SignPresent(o.Hash, make([]byte, wire.NonceBytes), anna.signer)
	for _, doc := range [][]byte{o.Text, j.Text, l.Text, p.Text} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		o, err := offer.Parse(doc)
		testmust.Holdf(t, err != nil || bytes.Equal(o.Text, doc) && o.Hash == wire.HashEntry(doc), "kept another offer than %q", doc)
		j, err := offer.ParseJoin(doc)
		testmust.Holdf(t, err != nil || bytes.Equal(j.Text, doc), "kept another join than %q", doc)
		l, err := offer.ParseLeave(doc)
		testmust.Holdf(t, err != nil || bytes.Equal(l.Text, doc), "kept another leave than %q", doc)
		p, err := offer.ParsePresent(doc)
		testmust.Holdf(t, err != nil || bytes.Equal(p.Text, doc) && len(p.Challenge) == wire.NonceBytes, "kept another sign of presence than %q", doc)
	})
}
