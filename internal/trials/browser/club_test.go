package browser

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// fill types a value into the field that a selector names.
func (p *tab) fill(field, value string) {
	p.Helper()
	p.until(fmt.Sprintf("document.querySelector(%s)", quote(field)))
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		const e = document.querySelector(%s);
		e.value = %s;
		e.dispatchEvent(new Event("input", { bubbles: true }));
		e.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, quote(field), quote(value)))
}

// A draw that leaves players out who could play, has the same pairs meet again, or lets
// the same player sit out twice while others have not.
func TestDraw(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	run := func(script string) string {
		return eval[string](p, fmt.Sprintf(`(async () => { const { draw, sizes } = await import(JSON.parse(document.body.dataset.about).base + "draw.mjs"); return JSON.stringify(%s); })()`, script))
	}
	for _, c := range []struct{ script, want string }{
		{`sizes(16, 4, [4, 5])`, `[4,4,4,4]`},
		{`sizes(17, 4, [4, 5])`, `[5,4,4,4]`},
		{`sizes(7, 4, [4, 5])`, `[5]`},
		{`sizes(3, 4, [4, 5])`, `[]`},
		{`sizes(7, 3, [3])`, `[3,3]`},
		// eight players at two tables of four: whoever met twice could have met thrice
		{`(() => { const all = [..."abcdefgh"], rounds = []; for (let i = 0; i < 2; i++) rounds.push(draw(all, 4, [4], rounds)); return rounds.every(r => r.out.length === 0 && r.tables.flatMap(t => t.names).sort().join("") === "abcdefgh") && rounds[1].tables.every(t => t.names.filter(n => rounds[0].tables[0].names.includes(n)).length === 2); })()`, `true`},
		{`(() => { const all = [..."abcdefg"], rounds = []; for (let i = 0; i < 7; i++) rounds.push(draw(all, 3, [3], rounds)); return rounds.map(r => r.out[0]).sort().join(""); })()`, `"abcdefg"`},
	} {
		testmust.Equal(t, run(c.script), c.want, c.script)
	}
}

// An evening of which the page loses a table, adds up other points than were played, or
// hands on evidence that does not hold elsewhere: two tables of players whose keys the
// organiser has, drawn, played, verified and saved.
func TestClubsEvening(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/club")
	seats, lines := map[string]memory{}, []string{}
	for _, name := range []string{"anna", "bela", "constructor", "__proto__"} {
		v := memory{}
		s := testmust.Have(player.CreateIdentity(v, name))(t)
		seats[s.VerifierKey()] = v
		lines = append(lines, s.VerifierKey())
	}
	p.fill("input[autocomplete=nickname]", "Club")
	p.fill("main select", "schwarzer-peter/v1")
	p.until(`[...document.querySelectorAll("main select")].at(-1).value !== ""`)
	eval[chromedp.Void](p, `(() => { const e = [...document.querySelectorAll("main select")].at(-1); e.value = "2"; e.dispatchEvent(new Event("change", { bubbles: true })); })()`)
	p.fill("main input[type=number]", "1")
	p.fill("textarea", strings.Join(lines, "\n"))
	p.press("Draw round 1")
	p.until(`document.querySelectorAll(".slips li a[href*=watch]").length === 2`)
	p.looks("a round")
	for _, name := range eval[[]string](p, `[...document.querySelectorAll(".slips a[href*=watch]")].map(a => a.getAttribute("href").slice(3, 67))`) {
		id := testmust.Have(wire.ParseHash(name))(t)
		var sitting []memory
		for _, key := range f.history(id)[0].Genesis().Seats {
			sitting = append(sitting, seats[key])
		}
		f.bots(id, sitting)
	}
	p.visit(f.URL + "/club") // as on the next day
	p.press("Ask the server")
	p.press("Verify all tables here")
	p.until(`document.querySelectorAll(".standings").length === 2`)
	tables := eval[[]string](p, `[...document.querySelectorAll(".standings tbody")].map(e => e.innerText)`)
	testmust.Holdf(t, tables[0] == tables[1] && strings.Count(tables[0], "\n") == 3, "the server says\n%s\nand verified is\n%s", tables[0], tables[1])
	p.looks("the evidence")
	p.named("the evidence")
	eval[chromedp.Void](p, `(() => { const make = URL.createObjectURL; URL.createObjectURL = blob => { globalThis.saved = blob; return make.call(URL, blob); }; })()`)
	p.press("Save the evidence")
	archive := testmust.Have(base64.StdEncoding.DecodeString(eval[string](p, `(async () => btoa(Array.from(new Uint8Array(await saved.arrayBuffer()), b => String.fromCharCode(b)).join("")))()`)))(t)
	evidence(t, archive, f.key)
	f.orderly()
}

// evidence fails unless an archive has two sound tables under one checkpoint, and says so.
func evidence(t *testing.T, archive []byte, key string) {
	t.Helper()
	files := testmust.Have(zip.NewReader(bytes.NewReader(archive), int64(len(archive))))(t)
	var sizes []uint64
	about := ""
	for _, file := range files.File {
		r := testmust.Have(file.Open())(t)
		text, err := io.ReadAll(r) // checks the sum too
		testmust.Do(t, err, file.Name)
		switch path.Ext(file.Name) {
		case ".pakli":
			b := testmust.Have(bundle.Parse(text))(t)
			sizes = append(sizes, b.Checkpoint.Size)
			if a, err := judge.File(context.Background(), text, []string{key}, "en"); err != nil || a.Verdict != "sound" {
				t.Errorf("%s: %s, %v", file.Name, a.Headline, err)
			}
		case ".txt":
			if file.Name == "README.txt" {
				about = string(text)
			}
		}
	}
	if len(sizes) != 2 || len(slices.Compact(sizes)) != 1 || !strings.Contains(about, "no other entries") || !strings.Contains(about, "1. ") || !strings.Contains(about, key) {
		t.Errorf("checkpoints of %v entries; it says %s", sizes, about)
	}
}

// A tab that keeps a setting, and with it what it knew of all others: the evening that another
// tab has drawn meanwhile would be gone, with the codes of its tables.
func TestTabsKeepEachOthersSettings(t *testing.T) {
	testmust.OnlyThorough(t, "settings, which no game depends on")
	t.Parallel()
	f := serve(t)
	one := visitor(t, f)
	one.visit(f.URL + "/about")
	two := one.another()
	two.visit(f.URL + "/about")
	run := func(p *tab, script string) string {
		return eval[string](p, fmt.Sprintf(`(async () => { const { set, setting } = await import(JSON.parse(document.body.dataset.about).base + "core.mjs"); return String(%s); })()`, script))
	}
	run(one, `set("club", { terms: null, players: "", rounds: [] })`)
	run(two, `set("name", "anna")`)
	one.visit(f.URL + "/about")
	testmust.Equal(t, run(one, `setting("club", { rounds: "gone" }).rounds + setting("name", "")`), "anna", "settings of two tabs")
	one.visit(f.URL + "/club")
	two.visit(f.URL + "/club")
	run(one, `set("club", { terms: null, players: "", rounds: [{ tables: [], out: ["zita"] }] })`)
	two.fill("textarea", "anna")
	one.visit(f.URL + "/about")
	got := run(one, `JSON.stringify(setting("club", null))`)
	testmust.Holdf(t, got == `{"terms":null,"players":"anna","rounds":[{"tables":[],"out":["zita"]}]}`, "the evening of two tabs is %s", got)
}
