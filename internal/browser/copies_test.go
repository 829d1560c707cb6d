package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/thorough"
)

// pakli runs the program at a terminal, with a passphrase.
func (f *front) pakli(passphrase string, args ...string) (said string, err error) {
	f.t.Helper()
	path, err := compiled()
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "PAKLI_PASSPHRASE="+passphrase)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// saves has a tab keep the files that it would save.
func (p *tab) saves() {
	p.Helper()
	eval[chromedp.Void](p, `(() => {
		const real = URL.createObjectURL;
		URL.createObjectURL = blob => { globalThis.pakliTest.saved = blob; return real(blob); };
	})()`)
}

// saved is what the tab has saved.
func (p *tab) saved() []byte {
	p.Helper()
	p.until("pakliTest.saved")
	text := eval[string](p, `(async () => btoa(String.fromCharCode(...new Uint8Array(await pakliTest.saved.arrayBuffer()))))()`)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		p.Fatal(err)
	}
	return b
}

// enters types into the one field of a name.
func (p *tab) enters(name, text string) {
	p.Helper()
	field := fmt.Sprintf("document.querySelector('input[name=%s]')", name)
	p.until(field)
	eval[chromedp.Void](p, fmt.Sprintf("(() => { const i = %s; i.value = %s; i.dispatchEvent(new Event('input', { bubbles: true })); })()", field, quote(text)))
}

// opens gives a file to the page.
func (p *tab) opens(name string, content []byte) {
	p.Helper()
	p.until(`document.querySelector(".drop input:not(:disabled)")`)
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([Uint8Array.from(atob(%s), c => c.charCodeAt(0))], %s));
		const input = document.querySelector(".drop input");
		input.files = files.files;
		input.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, quote(base64.StdEncoding.EncodeToString(content)), quote(name)))
}

// A copy that a page has written and a terminal cannot play, or the reverse; one that can be
// read without its passphrase; one that plays while its owner has said nothing.
func TestCopies(t *testing.T) {
	thorough.Only(t, "copies of a seat between browsers")
	t.Parallel()
	f := serve(t)
	id, seats := f.begin("schwarzer-peter/v1", 1, "anna", "bela")
	anna, bela := visitor(t, f), visitor(t, f)
	anna.visit(f.URL + "/about")
	seats[0]["about"] = bytes.Replace(seats[0]["about"], []byte(`"kept":"trifling"`), []byte(`"kept":""`), 1)
	anna.bring("seat0", seats[0])
	anna.sits(f, id, 0)
	anna.saves()
	anna.shown(375, false)
	anna.until("document.querySelector('input[name=passphrase]')")
	anna.picture("copy-asked")
	anna.enters("passphrase", "kulcs")
	anna.press("Take a copy of the seat")
	sealed := anna.saved()
	if !bytes.HasPrefix(sealed, []byte("age-encryption.org/v1\n-> scrypt ")) || !bytes.Contains(sealed[:100], []byte(" 16\n")) {
		t.Errorf("the copy begins %q", sealed[:min(100, len(sealed))])
	}
	anna.until(`document.querySelector(".table")`) // she has sat down
	bela.visit(f.URL + "/about")
	bela.bring("seat1", seats[1])
	bela.sits(f, id, 1)
	for end := time.Now().Add(patience); len(f.history(id)) < 6; time.Sleep(300 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the game does not go on")
		}
	}
	anna.close() // and her browser is lost

	file := filepath.Join(t.TempDir(), "anna.seat")
	if err := os.WriteFile(file, sealed, 0o600); err != nil {
		t.Fatal(err)
	}
	play := []string{"play", "--bot", "--server", f.server.URL, "--log", f.key, "--table", id.String(), "--seat", file}
	if said, err := f.pakli("", play...); err == nil || !strings.Contains(said, "needs its passphrase") {
		t.Errorf("without the passphrase: %v, %s", err, said)
	}
	if said, err := f.pakli("kulcs", play...); err == nil || !strings.Contains(said, "this seat is a copy") {
		t.Errorf("without a word of its owner: %v, %s", err, said)
	}
	if said, err := f.pakli("kulcs", append(play, "--here")...); err != nil || !strings.Contains(said, "is over") {
		t.Errorf("the copy at a terminal: %v, %s", err, said)
	}
	bela.over(patience)
	f.sound(id)

	file = filepath.Join(t.TempDir(), "dora.seat")
	key, err := f.pakli("titok", "seat", "--file", file, "dora")
	if err != nil {
		t.Fatal(err, key)
	}
	ofTerminal, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bela.visit(f.URL + "/seats")
	bela.opens("dora.seat", ofTerminal)
	bela.enters("unseal", "titkok")
	bela.press("Go")
	bela.shows("That is not the passphrase of this copy.")
	bela.picture("copy-passphrase")
	bela.enters("unseal", "titok")
	bela.press("Go")
	bela.until(`!document.querySelector(".alarm")`)
	bela.shows(strings.TrimSpace(key))
	bela.opens("again.seat", ofTerminal)
	bela.enters("unseal", "titok")
	bela.press("Go")
	bela.shows("is in this browser already")
	f.orderly()
}

// Two tabs that take in one seat at one instant, and both have it.
func TestTwoTabsImport(t *testing.T) {
	thorough.Only(t, "copies of a seat between tabs")
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	got := eval[[]string](p, `(async () => {
		const { Desk } = await import(JSON.parse(document.body.dataset.about).base + "core.mjs");
		const [one, two] = await Promise.all([new Desk().start(), new Desk().start()]);
		const { id } = await one.call("seat.make", { name: "anna" }), copy = new TextEncoder().encode((await one.call("seat.export", { id })).file);
		await one.call("seat.remove", { id });
		const came = await Promise.allSettled([one, two].map(d => d.call("seat.import", {}, copy)));
		const list = [...came.map(c => c.status), String((await one.call("seats")).length)];
		one.stop();
		two.stop();
		return list.sort();
	})()`)
	if fmt.Sprint(got) != "[1 fulfilled rejected]" {
		t.Errorf("seats, and what the tabs were told: %q", got)
	}
}
