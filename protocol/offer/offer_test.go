package offer_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"maps"
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
	seats := []string{anna.key, bela.key, csilla.key}
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
		_, err := o.CheckGenesis(entry, bela.key)
		m, ok := errors.AsType[*offer.Mismatch](err)
		testmust.Holdf(t, (field != "" || err == nil) && (field == "" || ok && m.Field == field), "%q changed: %v", field, err)
		_, err = o.CheckGenesis(entry, newPerson(t, "dezso").key)
		testmust.Fail(t, err, field, "a table without my key is mine")
	}
	testmust.Equal(t, o.Table.Options["stakes"], "", "a table shares its options with the offer")
	twice := *o.TableGenesis([]string{bela.key, bela.key, anna.key})
	doc, _ := wire.SignDocument(&twice, anna.signer)
	testmust.FailSaying(t, testmust.ErrorOf(o.CheckGenesis(doc, bela.key)), "seats", "my key twice")
	second := newOffer(t, anna, log.key)
	testmust.Hold(t, !bytes.Equal(o.TableNonce(), second.TableNonce()), "two offers of the same terms are one")
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
	j := testmust.Have(offer.SignJoin(o, bela.key, bela.signer))(t)
	testmust.Fail(t, testmust.ErrorOf(offer.SignJoin(o, bela.key, anna.signer)), "somebody joins for another")
	_, err := offer.ParseJoin(bytes.Replace(j.Text, []byte(`"name":"bela"`), []byte(`"name":"anna"`), 1))
	testmust.Fail(t, err, "somebody joins under another's name")
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
	j, _ := offer.SignJoin(o, anna.key, anna.signer)
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
