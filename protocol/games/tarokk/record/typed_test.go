package record_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
)

// scored reads and replays a text.
func scored(t *testing.T, text string) (*record.Session, *record.Report) {
	t.Helper()
	s, err := record.Parse([]byte(text))
	testmust.Requiref(t, err == nil, "%v\n%s", err, text)
	report := testmust.Have(record.Score(s))(t)
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
			_, got, _ := strings.Cut(string(s.Text()), "[Deal \"1\"]\n")
			testmust.Holdf(t, got == c.want+"\n", "%s: read as %swant %s", c.typed, got, c.want)
		}
	}
}

// Names of members for seats: those of the deal's dealing and of no other, the
// longer of two names of which one begins the other, and none for who sits out. Of two that differ in
// capitals alone, what is written in neither way must not be charged to one of them.
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
	testmust.Do(t, err)
	var got []string
	for _, d := range s.Deals {
		got = append(got, strings.Join(d.Lines[0].Words, ", "))
	}
	// After deal 1, in which all passed, Elza deals again; then Anna.
	testmust.Equal(t, "A pass, B pass, D pass; B three; D pass, B pass; B three", strings.Join(got, "; "), "read as")
	const alike = "[Tarokk \"1\"]\n[Members \"anna\" \"Anna\" \"Csilla\" \"Dezső\"]\n"
	for _, c := range []struct{ members, line, want string }{
		{members, "bids: Elza pass", "Elza deals and has no cards in this deal"},
		{members, "bids: Annabel 3", "begins with no seat"},
		{members, "dealt Zoli: T1", "begins with no seat"},
		{members, "dealt Anna X: T1", "stands behind the seat"},
		{members, "claim: Anna, Elza", "Elza deals"},
		{alike, "bids: ANNA pass", "capitals"},
		{alike, "bids: anna pass", "bids: A pass"},
		{alike, "bids: Anna pass", "bids: B pass"},
		{alike, "bids: csilla pass", "bids: C pass"},
	} {
		s, err := record.Parse([]byte(c.members + "[Deal \"1\"]\n" + c.line + "\n"))
		got := fmt.Sprint(err)
		if err == nil {
			got = string(s.Text())
		}
		refused := !strings.HasPrefix(c.want, "bids")
		testmust.Holdf(t, refused == (err != nil) && strings.Contains(got, c.want), "%s: %s, want %s", c.line, got, c.want)
	}
}

// A count that stands behind what else a player says, and which only the declarer's
// first turn has to begin with (R-ANC-2).
func TestCountBehind(t *testing.T) {
	c := change{"", "first-turn", "say D: count 8", "say D: four_kings, count 8", ""}
	_, report := scored(t, without(c.text(t), []string{"result"}))
	testmust.Holdf(t, len(report.Deals) == 4 && len(report.Deals[2].Extras) == 2 && report.Deals[2].Extras[1].Text == "8 tarokks announced",
		"the count is lost:\n%s", report)
	c = change{"", "first-turn", "say A: count 8, call T20, trull", "say A: call T20, count 8, trull", ""}
	_, report = scored(t, c.text(t))
	testmust.Holdf(t, report.Broken != nil && report.Broken.Rule == "R-ANC-2, R-ANC-3, AMB-13", "the declarer counts after his call:\n%s", report)
}

// Payments that the record has otherwise, without what they are reckoned from.
func TestOtherPayments(t *testing.T) {
	c := change{"", "invit-solo", "+5, -5, +5, -5", "+4, -4, +4, -4", ""}
	_, report := scored(t, c.text(t))
	testmust.Holdf(t, len(report.Deals) == 1 && strings.Contains(report.String(), "DEC trull, made: +1") && strings.Contains(report.Broken.Text, "and not +4, -4, +4, -4"), "%s", report)
}

// A long evening whose every deal copies the deals before.
func TestLongEvening(t *testing.T) {
	bytes := func(deals int) uint64 {
		s := testmust.Have(record.Parse([]byte(evening(deals))))(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		testmust.Have(record.Score(s))(t)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := bytes(1_000), bytes(4_000)
	testmust.Holdf(t, many <= 6*few, "1,000 deals take %d bytes, 4,000 take %d", few, many)
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
