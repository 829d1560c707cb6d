package record_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/record"
)

// change is a record that somebody spoiled: a text in it is replaced, and what
// follows another is cut off.
type change struct {
	name, file, old, now, cut string
}

func (c change) text(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/deals/" + c.file + ".tarokk")
	text := string(raw)
	if err != nil || strings.Count(text, c.old) != 1 {
		t.Fatalf("%s: %q is there %d times, %v", c.file, c.old, strings.Count(text, c.old), err)
	}
	text = strings.Replace(text, c.old, c.now, 1)
	if c.cut != "" {
		text, _, _ = strings.Cut(text, c.cut)
	}
	return text
}

// lineOf is the number of the line that begins with a text.
func lineOf(text, begin string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, begin) {
			return i + 1
		}
	}
	return 0
}

// Every way to break a rule that a record can show, and some that only its
// writer can have broken: found late, under another number, in another line, or
// laid at another door, as of who sits there in the next deal; or told by a seat's number.
func TestBroken(t *testing.T) {
	names := map[string]string{"A": "Anna", "B": "Béla", "C": "Csilla", "D": "Dezső"}
	number := regexp.MustCompile(`seat [0-9]|statement`)
	const solo, trial, yield, lost = "invit-solo", "trial-three", "yielded-two", "lost-trial"
	for _, c := range []struct {
		change
		rule, line, seat string
	}{
		{change{"a revoke", solo, "C: XX VIII V III\ntrick 3 C: XVI ♦K VII IV", "C: XX ♦K V III\ntrick 3 C: XVI VIII VII IV", ""}, "R-PLAY-3", "trick 2", "D"},
		{change{"a card played that was laid away", trial, "SK ST T10 T11", "SK DR T10 T11", ""}, "R-CARD-1", "trick 3", "A"},
		{change{"a king laid away", solo, "discard D: ♠Q ♠10", "discard D: ♥K ♠10", "trick"}, "R-DISC-2", "discard D", "D"},
		{change{"the shown card laid away", solo, "discard A: ♥Q ♦R", "discard A: XVIII ♦R", "trick"}, "R-DISC-3", "discard A", "A"},
		{change{"one card too few laid away", solo, "discard A: ♥Q ♦R", "discard A: ♥Q", "trick"}, "R-DISC-1", "discard A", "A"},
		{change{"a card laid away that another has", solo, "discard A: ♥Q ♦R", "discard A: ♥Q ♣Q", "trick"}, "R-DISC-1", "discard A", "A"},
		{change{"three unseen cards for two", solo, "discard A: ♥Q ♦R", "discard A: ? ? ?", ""}, "R-DISC-1", "discard A", "A"},
		{change{"the discard of another", trial, "discard C: SR", "discard C: SQ", ""}, "R-CARD-1", "discard C", "C"},
		{change{"a discard of nothing drawn", solo, "discard A:", "discard C: ♥J\ndiscard A:", "trick"}, "R-DISC-1", "discard C", "C"},
		{change{"tarokks not disclosed", solo, "discard A: ♥Q ♦R\ndiscard B: ♥R ♦Q\ndiscard D: ♠Q ♠10\n", "discard A: V ♦R\ndiscard B: ♥R ♦Q\ndiscard D: ♠Q ♠10\ndisclosed: A 0, B 0, D 0\n", "trick"}, "R-DISC-6", "disclosed", "A"},
		{change{"tarokks disclosed that are none", solo, "say C: call", "disclosed: A 0, B 1, D 0\nsay C: call", ""}, "R-DISC-6", "disclosed", "B"},
		{change{"a bid that is not higher", solo, "C szóló", "C három", ""}, "R-BID-5", "bids", "C"},
		{change{"a bid out of turn", solo, "A egy, B passz", "B passz, A egy", ""}, "R-BID-1", "bids", "B"},
		{change{"a hold of nothing", solo, "B passz", "B tartom", ""}, "R-BID-6", "bids", "B"},
		{change{"a call after the auction", solo, "C szóló, A passz", "C szóló, A passz, D passz", ""}, "R-BID-9", "bids", ""},
		{change{"a bid without an honour", trial, "A pass, B pass, C pass, D three", "A three, B pass, C pass, D pass", ""}, "R-BID-4", "bids", "A"},
		{change{"an invit without the card", solo, "dealt A: XXI XVIII XVII XI VII V ♥Q ♦R ♠K\ndealt B: XV XIII XII IX III", "dealt A: XXI XV XVII XI VII V ♥Q ♦R ♠K\ndealt B: XVIII XIII XII IX III", "trick"}, "R-CONV-6", "bids", "A"},
		{change{"a game yielded without the XX", yield, "bids:", "dealt A: T22 T15 T13 T10 T5 T3 DQ CT SR\nbids:", ""}, "R-CONV-12", "bids", "A"},
		{change{"a trial won without an honour", lost, "trial D: no   ; XVII and ♦J", "trial D: yes", ""}, "R-BID-16", "trial", "D"},
		{change{"a trial of another player", lost, "trial D: no   ; XVII and ♦J", "trial A: no", ""}, "R-BID-14", "trial A", "A"},
		{change{"a trial that was none", solo, "discard A", "trial A: yes\ndiscard A", ""}, "R-BID-14", "trial A", "A"},
		{change{"a trial that was another's", solo, "discard A", "trial D: yes\ndiscard A", ""}, "R-BID-14", "trial D", "D"},
		{change{"an invit confirmed that shows itself", solo, "discard A", "confirm A: yes\ndiscard A", ""}, "OPT-CONV-COMMIT", "confirm A", "A"},
		{change{"an invit confirmed of a trial", lost, "trial D: no   ; XVII and ♦J", "confirm B: yes\ntrial D: no", ""}, "OPT-CONV-COMMIT", "confirm B", "B"},
		{change{"a hand annulled that is none", solo, "say C: call XVIII", "annul B: d\nsay C: call XVIII", ""}, "R-ANN-1", "annul", "B"},
		{change{"another card called", solo, "call XVIII", "call XX", ""}, "R-CALL-6", "say C", "C"},
		{change{"a card below the XX called", trial, "call XX, tulétroá", "call XIX", ""}, "R-CALL-3", "say D", "D"},
		{change{"no call", trial, "say D: call XX, tulétroá", "say D: pass", ""}, "R-CALL-1", "say D", "D"},
		{change{"a count of a short hand", solo, "say C: call", "say C: count 8, call", ""}, "R-CNT-1", "say C", "C"},
		{change{"a figure for a side not one's own", trial, "say B: pass", "say B: four_kings", ""}, "R-SIDE-7", "say B", "B"},
		{change{"a figure twice", trial, "say A: pass", "say A: trull", ""}, "R-FIG-9", "say A", "A"},
		{change{"double and volát at once", trial, "tulétroá", "double, volat", ""}, "R-FIG-7", "say D", "D"},
		{change{"a contra of nothing announced", trial, "kontra parti", "kontra volat", ""}, "R-CON-1", "say C", "C"},
		{change{"a step of the ladder left out", trial, "kontra parti", "rekontra parti", ""}, "R-CON-2", "say C", "C"},
		{change{"a turn out of turn", trial, "say A: pass\nsay B: pass", "say B: pass\nsay A: pass", ""}, "R-ANC-1", "say B", "B"},
		{change{"a turn after the announcements", solo, "say C: call XVIII", "say C: call XVIII\nsay D: pass\nsay A: pass\nsay B: pass\nsay C: trull", ""}, "R-ANC-4", "say C: trull", ""},
		{change{"the wrong leader", solo, "trick 2 C: XX VIII V III", "trick 2 A: V III XX VIII", ""}, "R-PLAY-1", "trick 2", "A"},
		{change{"a card that another holds", solo, "♠R ♦J ♥J ♣10", "♦J ♠R ♥J ♣10", ""}, "R-PLAY-1", "trick 9", "A"},
		{change{"another's card, before its owner plays it", trial, "T4 T3 T17 T21", "T8 T3 T17 T21", ""}, "R-PLAY-1", "trick 1", "A"},
		{change{"another's card, after its owner played it", trial, "C: T13 HR T9 CR", "C: T4 HR T9 CR", ""}, "R-CARD-1", "trick 9", "C"},
		{change{"a card twice, where no hand is told", yield, "T15 T18 T17 T8", "T15 T18 T17 T7", ""}, "R-CARD-1", "trick 4", ""},
		{change{"a trick of three cards", solo, "XX VIII V III", "XX VIII V", ""}, "R-PLAY-1", "trick 2", ""},
		{change{"a trick of five cards", solo, "XX VIII V III", "XX VIII V III IV", ""}, "R-PLAY-1", "trick 2", ""},
		{change{"the pagát of an announced ultimó given up", trial, "tulétroá", "ultimó", ""}, "R-PLAY-6", "trick 7", "D"},
		{change{"an ultimó without the count", "five-members", "count 8, call T19, pagat_ultimo", "call T19, pagat_ultimo", ""}, "R-CNT-3", "say D", "D"},
		{change{"no contra of the card in the own discard", trial, "discard A: DR\ndiscard B: SQ\ndiscard C: SR\ndiscard D: CQ DQ CJ\nsay D: call XX, tulétroá\n", "discard A: T4\ndiscard B: SQ\ndiscard C: SR\ndiscard D: CQ DQ CJ\nsay D: call T4\n", "trick"}, "R-CALL-8", "say A", "A"},
		{change{"a late claim without eight", solo, "result: +5", "claim: A\nresult: +5", ""}, "R-CNT-5", "claim", "A"},
		{change{"a late claim of another", solo, "result: +5", "claim: B\nresult: +5", ""}, "R-CNT-5", "claim", "B"},
		{change{"a fee where none is paid", solo, "result: +5", "fee A: X\nresult: +5", ""}, "OPT-TALON-HONOUR-FEE", "fee", "A"},
		{change{"members asked where nobody is", solo, "result: +5", "between: go, go, go, stop\nresult: +5", ""}, "R-SESS-1", "between", ""},
		{change{"eight cards dealt", solo, " ♥Q ♦R ♠K", " ♥Q ♦R", ""}, "R-DEAL-2", "dealt A", ""},
		{change{"a talon of five", solo, "♠R IV ♥R\nbids", "♠R IV\nbids", ""}, "R-DEAL-2", "talon", ""},
		{change{"a card in two hands", solo, "VII V ♥Q", "VII V ♣K", ""}, "R-CARD-1", "dealt B", ""},
		{change{"a card in a hand and in the talon", solo, "talon: ♥K", "talon: XXI", ""}, "R-CARD-1", "talon", ""},
		{change{"a card played twice", trial, "C: T13 HR T9 CR", "C: T13 HR T9 T22", ""}, "R-CARD-1", "trick 9", "B"},
		{change{"other cards drawn than lay on top", solo, "bids:", "drawn A: ♥K ♣J\nbids:", ""}, "R-TAL-2", "drawn A", ""},
		{change{"too many cards drawn", yield, "bids:", "drawn A: CT T3\nbids:", ""}, "R-TAL-1", "drawn A", ""},
		{change{"a card dealt that went nowhere", yield, "bids:", "drawn A: T9\nbids:", ""}, "R-DISC-1", "drawn A", ""},
		{change{"other payments", solo, "+5, -5, +5, -5", "+5, -5, -5, +5", ""}, "R-PAY-1", "result", ""},
		{change{"another payment of a trial", lost, "+4, +4, +4, -12", "+2, +2, +2, -6", ""}, "R-PAY-4", "result", ""},
		{change{"another dealer after a throw-in", lost, "[Dealer \"Dezső\"]", "[Dealer \"Anna\"]", ""}, "R-DEAL-5", "[Deal \"2\"]", ""},
		{change{"another dealer after a deal", lost, "[Dealer \"Anna\"]", "[Dealer \"Dezső\"]", ""}, "R-DEAL-4", "[Deal \"3\"]", ""},
		{change{"a double round that ended", lost, "[Rounds \"3\"]", "[Rounds]", ""}, "R-ROUND-2", "[Deal \"3\"]", ""},
		{change{"a deal after the end", lost, "[Members", "[Deals \"1\"]\n[Members", ""}, "R-SESS-1", "[Deal \"3\"]", ""},
		{change{"tricks after four passes", lost, "; All pass: the same dealer again, and a double round.\nbids: A pass, B pass, C pass, D pass", "bids: A pass, B pass, C pass, D pass\ntrick 1 A: T1 T2 T3 T4", ""}, "R-BID-12", "trick 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text(t)
			want := lineOf(text, c.line)
			worse := text // later a card is there twice, too
			if want < lineOf(text, "trick 3") {
				worse = strings.Replace(text, "XVI ♦K VII IV", "XVI VIII VII IV", 1)
			}
			for _, text := range []string{text, worse} {
				_, report := scored(t, text)
				b := report.Broken
				if report.Verdict != record.Broken || b == nil {
					t.Fatalf("not found:\n%s", report)
				}
				rule, _, _ := strings.Cut(b.Rule, ",")
				if rule != c.rule || b.Line != want || b.Seat != c.seat || c.file != yield && b.Member != names[c.seat] || number.MatchString(b.Text) {
					t.Errorf("%v\nwant %s in line %d by %q, and in words", b, c.rule, want, names[c.seat])
				}
			}
		})
	}
}
