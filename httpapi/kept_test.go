package httpapi_test

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
)

// heap is how much memory is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A stranger who asks for the same short list under long names, each of which is another
// one, must not fill the memory.
func TestLongNamesAreNotKept(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = -1 })
	before := heap()
	filler := strings.Repeat("x", 12<<10)
	for i := range 3000 {
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, from(other, fmt.Sprintf("/v1/tables?nothing=%d%s", i, filler)))
		if w.Code != 200 {
			t.Fatal(w.Code)
		}
	}
	if got := heap() - before; got > 28<<20 {
		t.Errorf("%d MiB are kept for 3,000 empty lists", got>>20)
	}
}
