package flags

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/pakli/pakli/internal/command"
)

// ProgressBar shows progress: a moving bar on a terminal, and elsewhere a line from time to time.
type ProgressBar struct {
	w        io.Writer
	Terminal bool
	last     time.Time
	step     int    // last tenth printed
	line     string // last told
}

// NewProgress returns a bar on w.
func NewProgress(w io.Writer) *ProgressBar {
	f, isFile := w.(*os.File)
	return &ProgressBar{w: w, Terminal: isFile && isatty.IsTerminal(f.Fd()), step: -1}
}

const barWidth = 30

// Wipe clears the line of a terminal.
const Wipe = "\r\x1b[K"

// ClearBar clears another command's bar, so that the next line starts in the first column.
func ClearBar(e command.Env) {
	if NewProgress(e.Err).Terminal {
		fmt.Fprint(e.Err, Wipe)
	}
}

// ShowPart shows a part between 0 and 1.
func (p *ProgressBar) ShowPart(part float64, text string) {
	part = min(max(part, 0), 1)
	if !p.Terminal {
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
	fmt.Fprintf(p.w, Wipe+"[%s%s] %3.0f%% %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), part*100, text)
}

// TellPart shows progress on a terminal, and elsewhere a line whenever it changes.
func (p *ProgressBar) TellPart(part float64, text, line string) {
	if p.Terminal {
		p.ShowPart(part, text)
	} else if line != p.line {
		p.line = line
		fmt.Fprintln(p.w, line)
	}
}

// EndBar clears the bar, so that the next line starts in the first column.
func (p *ProgressBar) EndBar() {
	if p.Terminal && !p.last.IsZero() {
		fmt.Fprint(p.w, Wipe)
	}
	p.last, p.step = time.Time{}, -1
}
