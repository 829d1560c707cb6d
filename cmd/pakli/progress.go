package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
)

// progress shows how far something is: one moving bar on a terminal, and a
// plain line now and then elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	last     time.Time
	step     int // last tenth printed
}

func newProgress(w io.Writer) *progress {
	f, isFile := w.(*os.File)
	return &progress{w: w, terminal: isFile && isatty.IsTerminal(f.Fd()), step: -1}
}

const barWidth = 30

// show reports a part between 0 and 1.
func (p *progress) show(part float64, text string) {
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
	fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %3.0f%% %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), part*100, text)
}

// done ends a bar, so that the next line begins on its own.
func (p *progress) done() {
	if p.terminal && !p.last.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.last, p.step = time.Time{}, -1
}
