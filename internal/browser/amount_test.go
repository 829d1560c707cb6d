package browser

import (
	"fmt"
	"testing"
)

// An amount that cannot be typed on a phone or in a wide window, a panel that does not fit,
// a bet of another amount than was typed.
func TestAmountsAreTyped(t *testing.T) {
	t.Parallel()
	f := serve(t)
	f.options = map[string]string{"limit": "none"}
	for i, width := range []int{375, 1280} {
		p := visitor(t, f)
		id := p.alone(f, "five-card-draw/v1", "anna", "bela", "csilla")
		p.sits(f, id, 0)
		p.until(`document.querySelector(".amount input")`)
		p.looks("a round of betting")
		p.shown(width, false)
		p.picture(fmt.Sprintf("betting-%d", width))
		eval[any](p, fmt.Sprintf(`(() => { document.querySelector(".amount input").value = %d; document.querySelector(".amount").requestSubmit(); })()`, 37+i))
		p.until(fmt.Sprintf(`document.querySelector(".tells")?.textContent.match(/(bet|raised to) %d/)`, 37+i))
	}
}
