package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

// A stranger who asks for the same short list under long names, each of which is another
// one, must not fill the memory.
func TestLongNamesAreNotKept(t *testing.T) {
	const most = 1 << 20
	k, filler := newKept(most), strings.Repeat("x", 12<<10)
	for i := range 300 {
		k.put(version{name: fmt.Sprint(i, filler)}, []byte("[]"), "")
	}
	held := 0
	for v := range k.known {
		held += len(v.name)
	}
	if held == 0 || held > most {
		t.Errorf("%d bytes of names are kept, at most %d may be", held, most)
	}
}
