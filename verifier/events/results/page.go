package results

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/pakli/pakli/verifier/report/page"
)

//go:embed page.html
var pageHTML string

//go:embed wall.html
var wall string

// HTML writes the results as one page, also for print, without scripts or anything loaded from
// elsewhere.
func (r *Results) HTML(w io.Writer) error { return r.writePage(w, pageHTML) }

// Wall writes the seatings for a wall: each round by tables, and all players by names.
func (r *Results) Wall(w io.Writer) error { return r.writePage(w, wall) }

func (r *Results) writePage(w io.Writer, text string) error {
	t, err := template.New("page").Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, r); err != nil {
		return err
	}
	return page.WriteLines(w, b.String())
}

// Short returns the beginning of an id.
func (r *Results) Short(id string) string { return shortID(id) }

// Names returns the players with these numbers.
func (r *Results) Names(list []int) string { return r.playerNames(list) }

// Player returns the player with this number.
func (r *Results) Player(n int) string { return r.playerName(n) }
