package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
)

// progressBar shows how far something is: one moving bar on a terminal, and a
// plain line now and then elsewhere.
type progressBar struct {
	w        io.Writer
	terminal bool
	last     time.Time
	step     int    // last tenth printed
	line     string // last told
}

func newProgress(w io.Writer) *progressBar {
	f, isFile := w.(*os.File)
	return &progressBar{w: w, terminal: isFile && isatty.IsTerminal(f.Fd()), step: -1}
}

const barWidth = 30

// wipe empties the line of a terminal.
const wipe = "\r\x1b[K"

// clearBar ends a bar of somebody else, so that the next line begins on its own.
func (e env) clearBar() {
	if newProgress(e.err).terminal {
		fmt.Fprint(e.err, wipe)
	}
}

// showPart reports a part between 0 and 1.
func (p *progressBar) showPart(part float64, text string) {
	part = min(max(part, 0), 1)
	if !p.terminal {
		if tenth := int(part * 10); tenth > p.step {
			p.step = tenth
			fmt.Fprintf(p.w, "%3.0f%% %s\n", part*100, text)
		}
		return
	}
	if time.Since(p.last) < 50*time.Millisecond && part < 1 {
		return
	}
	p.last = time.Now()
	full := int(part * barWidth)
	fmt.Fprintf(p.w, wipe+"[%s%s] %3.0f%% %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), part*100, text)
}

// tellPart shows on a terminal how far something is, and elsewhere a line whenever it changes.
func (p *progressBar) tellPart(part float64, text, line string) {
	if p.terminal {
		p.showPart(part, text)
	} else if line != p.line {
		p.line = line
		fmt.Fprintln(p.w, line)
	}
}

// endBar ends a bar, so that the next line begins on its own.
func (p *progressBar) endBar() {
	if p.terminal && !p.last.IsZero() {
		fmt.Fprint(p.w, wipe)
	}
	p.last, p.step = time.Time{}, -1
}
