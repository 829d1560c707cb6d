package browser

import (
	"os"
	"testing"
	"time"
)

// TestPicture writes the picture of README to the file that PAKLI_PICTURE names:
//
//	PAKLI_PICTURE=$PWD/docs/table.png go test -C internal/browser -run TestPicture
//
// It plays until two cards of a trick lie on the table.
func TestPicture(t *testing.T) {
	t.Parallel()
	name := os.Getenv("PAKLI_PICTURE")
	if name == "" {
		t.Skip("PAKLI_PICTURE names no file")
	}
	f := serve(t)
	p := visitor(t, f)
	p.shown(1280, false)
	id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "dezso")
	p.sits(f, id, 7)
	p.untilIn(4*time.Minute, `document.querySelectorAll(".zone.trick li").length >= 2 && document.querySelectorAll(".own .card-button").length >= 5 && document.querySelector(".tells li:nth-child(8)")`)
	p.photograph(name)
}
