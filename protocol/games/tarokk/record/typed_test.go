package record_test

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/protocol/games/tarokk/record"
)

// scored reads and replays a text.
func scored(t *testing.T, text string) (*record.Session, *record.Report) {
	t.Helper()
	s, err := record.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	report, err := record.Score(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, report
}

// Lines as people type them, which must not be refused or mean anything but what
// is written beside them.
func TestTypedLines(t *testing.T) {
	curly := strings.Replace(header, `[Members "Anna" "Béla" "Csilla" "Dezső"]`, `[members „Anna“ „Béla” “Csilla” „Dezső”]`, 1)
	for _, c := range []struct{ typed, want string }{
		{"dealt A: IIII VIIII XIIII XVIIII 4 21 22 1 XXII", "dealt A: T4 T9 T14 T19 T4 T21 T22 T1 T22"},
		{"dealt A: XIX-es xx-as Ⅻ sküs Mond PAGÁT SKIZ", "dealt A: T19 T20 T12 T22 T21 T1 T22"},
		{"dealt A: ♥️K ♦️D ♣️L ♠️B K♥ 10♣ ♠10", "dealt A: HK DQ CR SJ HK CT ST"},
		{"dealt A: kőrkirály káró-dáma treff lovas pikk bubi, kőr ász pikk tízes ♥ Á", "dealt A: HK DQ CR SJ HA ST HA"},
		{"dealt A: HerzKönig Karo Dame Kreuz-Cavall PikK 4 PikBube Herz Ass Treff 10", "dealt A: HK DQ CR SK T4 SJ HA CT"},
		{"dealt A: HL DB SD CL há", "dealt A: HR DJ SQ CR HA"},
		{"Kéz Béla: I", "dealt B: T1"},
		{"blatt dezső: I", "dealt D: T1"},
		{"licit: Anna passz, b 3, Csilla kettő, D: tartom", "bids: A pass, B three, C two, D hold"},
		{"Gebote: A weiter, B drei, anna halte, Csilla szolo", "bids: A pass, B three, A hold, C solo"},
		{"bids: A 3, B 2, C 1, D egy", "bids: A three, B two, C one, D one"},
		{"próba D: igen", "trial D: yes"},
		{"skart Csilla: ? T2", "discard C: ? T2"},
		{"disclosed: Anna 1, d 0", "disclosed: A 1, D 0"},
		{"say A: hívom XX", "say A: call T20"},
		{"bemondás A: Hívom a XX-ast, négy király, pagátultimó, passz", "say A: call T20, four_kings, pagat_ultimo"},
		{"Ansage A: rufe den 19, vier Könige, Pagat-Ultimo, Kontra Doppelspiel, weiter", "say A: call T19, four_kings, pagat_ultimo, contra double"},
		{"say A: nyolc tarokk, 9 tarokk, acht Tarock, count nine", "say A: count 8, count 9, count 8, count 9"},
		{"say A: kontra parti, ultimó rekontra, szubkontra a DEF.tuli, hirskontra dec négykirály", "say A: contra game, recontra pagat_ultimo, subcontra DEF.trull, hirscontra DEC.four_kings"},
		{"say A: XXI-fogás, volát, 21 fogás", "say A: xxi_capture, volat, xxi_capture"},
		{"ütés 1 Anna: XXI", "trick 1 A: T21"},
		{"trick Anna: XXI", "trick 1 A: T21"},
		{"claim: Anna, C", "claim: A, C"},
		{"result: Anna +4, Béla 0, Csilla -2, dezső -2", "result: +4, +0, -2, -2"},
		{"eredmény: −4, +4, –2, 2", "result: -4, +4, -2, +2"},
	} {
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			text := form.String(curly + "[Deal \"1\"]\n" + c.typed + "\n")
			s, err := record.Parse([]byte(text))
			if err != nil {
				t.Errorf("%s: %v", c.typed, err)
				continue
			}
			if _, got, _ := strings.Cut(string(s.Text()), "[Deal \"1\"]\n"); got != c.want+"\n" {
				t.Errorf("%s: read as %swant %s", c.typed, got, c.want)
			}
		}
	}
}

// Names of members for seats: those of the deal's dealing and of no other, the
// longer of two names of which one begins the other, and none for who sits out.
func TestTypedNames(t *testing.T) {
	const members = "[Tarokk \"1\"]\n[Members \"Anna\" \"Anna Béla\" \"B\" \"Dezső\" \"Elza\"]\n"
	text := members + `[Deal "1"]
bids: Anna pass, Anna Béla pass, Dezső pass
[Deal "2"]
bids: ANNA BÉLA 3
[Deal "3"]
bids: Elza pass, B pass
[Deal "7"]
[Dealer "Dezső"]
bids: Anna 3
`
	s, err := record.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range s.Deals {
		got = append(got, strings.Join(d.Lines[0].Words, ", "))
	}
	// After deal 1, in which all passed, Elza deals again; then Anna.
	if want := "A pass, B pass, D pass; B three; D pass, B pass; B three"; strings.Join(got, "; ") != want {
		t.Errorf("read as %s\nwant %s", strings.Join(got, "; "), want)
	}
	for line, want := range map[string]string{
		"bids: Elza pass":   "Elza deals and has no cards in this deal",
		"bids: Annabel 3":   "begins with no seat",
		"dealt Zoli: T1":    "begins with no seat",
		"dealt Anna X: T1":  "stands behind the seat",
		"claim: Anna, Elza": "Elza deals",
	} {
		if _, err := record.Parse([]byte(members + "[Deal \"1\"]\n" + line + "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Two members whose names differ in capitals alone: what is written in neither way must not
// be charged to one of them.
func TestTypedNamesInCapitals(t *testing.T) {
	const members = "[Tarokk \"1\"]\n[Members \"anna\" \"Anna\" \"Csilla\" \"Dezső\"]\n[Deal \"1\"]\n"
	for typed, want := range map[string]string{"anna": "A", "Anna": "B", "ANNA": "", "csilla": "C"} {
		s, err := record.Parse([]byte(members + "bids: " + typed + " pass\n"))
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "capitals")):
			t.Errorf("%s: %v", typed, err)
		case want != "" && (err != nil || s.Deals[0].Lines[0].Words[0] != want+" pass"):
			t.Errorf("%s: %v, want %s", typed, err, want)
		}
	}
}

// A count that stands behind what else a player says, and which only the declarer's
// first turn has to begin with (R-ANC-2).
func TestCountBehind(t *testing.T) {
	c := change{"", "first-turn", "say D: count 8", "say D: four_kings, count 8", ""}
	_, report := scored(t, without(c.text(t), []string{"result"}))
	if len(report.Deals) != 4 || len(report.Deals[2].Extras) != 2 || report.Deals[2].Extras[1].Text != "8 tarokks announced" {
		t.Errorf("the count is lost:\n%s", report)
	}
	c = change{"", "first-turn", "say A: count 8, call T20, trull", "say A: call T20, count 8, trull", ""}
	if _, report := scored(t, c.text(t)); report.Broken == nil || report.Broken.Rule != "R-ANC-2, R-ANC-3, AMB-13" {
		t.Errorf("the declarer counts after his call:\n%s", report)
	}
}

// Discards that nobody saw, and that follow from the hands and the tricks.
func TestUnseenDiscards(t *testing.T) {
	for _, now := range []string{"discard A: ? ?", "discard A: ♥Q ?", "discard A: ? ♦R"} {
		c := change{"", "invit-solo", "discard A: ♥Q ♦R", now, ""}
		if _, report := scored(t, c.text(t)); report.Verdict != record.Complete || len(report.Deals[0].Doubts) > 0 {
			t.Errorf("%s:\n%s", now, report)
		}
	}
}

// Hands as a book prints them, before the exchange: talon and discards follow from
// what was played besides.
func TestHandsBeforeTheExchange(t *testing.T) {
	c := change{"", "invit-solo", "talon:", "talon:", ""}
	if _, report := scored(t, without(c.text(t), []string{"talon", "discard"})); report.Verdict != record.Complete || len(report.Deals[0].Doubts) > 0 {
		t.Errorf("discards that follow are missing:\n%s", report)
	}
	c.file = "trial-three"
	if _, report := scored(t, without(c.text(t), []string{"talon", "discard"})); report.Verdict != record.Unfinished || !strings.Contains(report.Missing, "the discard of Dezső") {
		t.Errorf("a discard that may be any of several is known:\n%s", report)
	}
}

// A player who is named by where he sits in the next deal, or by a number.
func TestNamedRightly(t *testing.T) {
	number := regexp.MustCompile(`seat [0-9]|statement`)
	for _, c := range []struct {
		change
		seat, member string
	}{
		{change{"", "invit-solo", "result: +5", "claim: B\nresult: +5", ""}, "B", "Béla"},
		{change{"", "invit-solo", "result: +5", "fee C: X\nresult: +5", ""}, "C", "Csilla"},
		{change{"", "invit-solo", "discard A", "confirm A: yes\ndiscard A", ""}, "A", "Anna"},
		{change{"", "invit-solo", "discard A", "trial D: yes\ndiscard A", ""}, "D", "Dezső"},
		{change{"", "lost-trial", "trial D: no   ; XVII and ♦J", "confirm B: yes\ntrial D: no", ""}, "B", "Béla"},
		{change{"", "trial-three", "say A: pass\nsay B: pass", "say B: pass\nsay A: pass", ""}, "B", "Béla"},
		{change{"", "trial-three", "tulétroá", "double, volat", ""}, "D", "Dezső"},
		{change{"", "trial-three", "say D: call XX, tulétroá", "say D: pass", ""}, "D", "Dezső"},
	} {
		_, report := scored(t, c.text(t))
		if b := report.Broken; b == nil || b.Seat != c.seat || b.Member != c.member || number.MatchString(b.Text) {
			t.Errorf("%s: %v\nwant %s (%s)", c.now, b, c.member, c.seat)
		}
	}
}

// The first rule that is broken in time, where a later line is wrong too; and a card
// that leaves two hands, which is laid at the door of its owner.
func TestFirstInTime(t *testing.T) {
	const solo, trial = "invit-solo", "trial-three"
	for _, c := range []struct {
		change
		rule, line, member string
	}{
		{change{"a bid that is not higher", solo, "C szóló", "C három", ""}, "R-BID-5", "bids", "Csilla"},
		{change{"another's card, before its owner plays it", trial, "T4 T3 T17 T21", "T8 T3 T17 T21", ""}, "R-PLAY-1", "trick 1", "Anna"},
		{change{"another's card, after its owner played it", trial, "C: T13 HR T9 CR", "C: T4 HR T9 CR", ""}, "R-CARD-1", "trick 9", "Csilla"},
		{change{"the discard of another", trial, "discard C: SR", "discard C: SQ", ""}, "R-CARD-1", "discard C", "Csilla"},
		{change{"three unseen cards for two", solo, "discard A: ♥Q ♦R", "discard A: ? ? ?", ""}, "R-DISC-1", "discard A", "Anna"},
		{change{"a trial that was none", solo, "discard A", "trial A: yes\ndiscard A", ""}, "R-BID-14", "trial A", "Anna"},
		{change{"a card twice, where no hand is told", "yielded-two", "T15 T18 T17 T8", "T15 T18 T17 T7", ""}, "R-CARD-1", "trick 4", ""},
	} {
		text := strings.Replace(c.text(t), "XVI ♦K VII IV", "XVI VIII VII IV", 1) // and later a card is there twice
		_, report := scored(t, text)
		if b := report.Broken; b == nil || b.Rule != c.rule || b.Line != lineOf(text, c.line) || b.Member != c.member {
			t.Errorf("%s: %v\nwant %s in line %d by %s", c.name, b, c.rule, lineOf(text, c.line), c.member)
		}
	}
}

// Payments that the record has otherwise, without what they are reckoned from.
func TestOtherPayments(t *testing.T) {
	c := change{"", "invit-solo", "+5, -5, +5, -5", "+4, -4, +4, -4", ""}
	_, report := scored(t, c.text(t))
	if len(report.Deals) != 1 || !strings.Contains(report.String(), "DEC trull, made: +1") || !strings.Contains(report.Broken.Text, "and not +4, -4, +4, -4") {
		t.Errorf("%s", report)
	}
}

// A long evening whose every deal copies the deals before.
func TestLongEvening(t *testing.T) {
	bytes := func(deals int) uint64 {
		s, err := record.Parse([]byte(evening(deals)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := record.Score(s); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := bytes(1_000), bytes(4_000); many > 6*few {
		t.Errorf("1,000 deals take %d bytes, 4,000 take %d", few, many)
	}
}

// evening is a record of deals in which all pass.
func evening(deals int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range deals {
		fmt.Fprintf(&b, "\n[Deal \"%d\"]\nbids: A pass, B pass, C pass, D pass\n", i+1)
	}
	return b.String()
}
