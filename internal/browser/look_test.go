package browser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axe-core is no part of the repository: npm fetches it once into the user's cache.
const (
	axeVersion = "4.14.1"
	axeSum     = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
)

// axe is axe.min.js, or why it is not at hand.
var axe = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "pakli", "axe-core-"+axeVersion)
	file := filepath.Join(dir, "package", "axe.min.js")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for _, args := range [][]string{{"npm", "pack", "--silent", "axe-core@" + axeVersion}, {"tar", "xzf", "axe-core-" + axeVersion + ".tgz"}} {
			cmd := exec.CommandContext(ctx, args[0], args[1:]...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
			}
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != axeSum {
		return "", fmt.Errorf("%s is not axe-core %s", file, axeVersion)
	}
	return string(text), nil
})

// overflow names what is wider than the window.
const overflow = `(() => {
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= width) return [];
	return [...document.querySelectorAll("body *")].filter(e => { const r = e.getBoundingClientRect(); return r.width && r.right > width + 1 && !e.closest(".hidden, .skip, svg"); })
		.slice(0, 5).map(e => e.tagName.toLowerCase() + "." + e.className + " ends at " + Math.round(e.getBoundingClientRect().right) + ": " + e.textContent.slice(0, 40));
})()`

// looks fails if anything of what is shown is wider than the window, or if axe-core finds
// something.
func (p *tab) looks(what string) {
	p.Helper()
	for _, width := range []int{375, 768, 1280} {
		for _, dark := range []bool{false, true} {
			p.shown(width, dark)
			where := fmt.Sprintf("%s at %d px, dark: %v", what, width, dark)
			if wide := eval[[]string](p, overflow); len(wide) > 0 {
				p.Errorf("%s: too wide: %s", where, strings.Join(wide, "; "))
			}
			if long() || width == 375 && dark || width == 1280 && !dark {
				p.accessible(where)
			}
		}
	}
}

func (p *tab) accessible(where string) {
	p.Helper()
	text, err := axe()
	if err != nil {
		p.Logf("axe-core could not be fetched, so that nothing asks it: %v", err)
		return
	}
	if !eval[bool](p, "Boolean(globalThis.axe)") {
		eval[any](p, text+"; null")
	}
	found := eval[[]string](p, `axe.run(document, { resultTypes: ["violations"] }).then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? n.html.slice(0, 120))).join(" | ")))`)
	for _, f := range found {
		p.Errorf("%s: %s", where, f)
	}
}

// A page that is wider than a phone in one of its languages, or that a screen reader
// cannot read.
func TestEveryPageLooksRight(t *testing.T) {
	f := serve(t)
	p := visitor(t, f)
	id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "a-name-of-thirty-two-characters-")
	p.sits(f, id, 0)
	p.until(asked)
	table := id.String()
	for i, path := range []string{"/t/" + table, "/", "/lobby", "/t/" + table + "?watch", "/r/" + table, "/verify", "/try", "/seats", "/about", "/new", "/join", "/j/ABCDE", "/club"} {
		for j, lang := range []string{"hu", "de", "en"} {
			if !long() && i%3 != j {
				continue
			}
			t.Run(lang+strings.ReplaceAll(path, table, "ID"), func(t *testing.T) {
				p.TB = t
				p.speak(lang)
				p.visit(f.URL + path)
				p.until(`document.querySelector("#main h1, #main .table")`)
				if strings.HasPrefix(path, "/t/") || strings.HasPrefix(path, "/r/") {
					p.until(`document.querySelector("#main .table")`)
				}
				if path == "/t/"+table {
					p.until(asked)
				}
				p.looks(lang + " " + path)
			})
		}
	}
	p.TB = t
	f.orderly()
}

// A game that needs a mouse.
func TestKeyboardAlone(t *testing.T) {
	f := serve(t)
	p := visitor(t, f)
	game, names := "schwarzer-peter/v1", []string{"anna", "bela", "csilla"}
	if long() {
		game, names = "tarokk/v1", append(names, "dezso")
	}
	id := p.alone(f, game, names...)
	p.sits(f, id, 0)
	key := func(k string) {
		p.Helper()
		p.call(func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.KeyEvent(k)) })
	}
	// reach presses a key until what has the focus is of a kind.
	reach := func(k, kind string) bool {
		for range 80 {
			if eval[bool](p, fmt.Sprintf("Boolean(document.activeElement?.matches(%s))", quote(kind))) {
				return true
			}
			key(k)
		}
		return false
	}
	over := `document.querySelector(".waiting")?.textContent.includes("The table is over")`
	for end := time.Now().Add(4 * time.Minute); !eval[bool](p, "Boolean("+over+")"); {
		if time.Now().After(end) {
			t.Fatalf("the table is not over:\n%s", p.text())
		}
		switch eval[string](p, `document.querySelector(".confirm .main") ? "confirm" : document.querySelector(".card-button.free:not(.picked)") ? "card" : document.querySelector(".group button:not(:disabled)") ? "part" : ""`) {
		case "confirm":
			if reach(kb.Tab, ".confirm .main") {
				key(kb.Enter)
			}
		case "card":
			if reach(kb.ArrowRight, ".card-button.free:not(.picked)") {
				key(kb.Enter)
			}
		case "part":
			key("1")
		}
		time.Sleep(150 * time.Millisecond)
	}
	f.sound(id)
	p.looks("the end of a table")
	f.orderly()
}
