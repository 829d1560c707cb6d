package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// forgetful is a log that takes an entry and whose answer is lost, once it is told to.
type forgetful struct {
	tlog.Log
	lose bool
}

func (f *forgetful) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	r, err := f.Log.Append(ctx, entry)
	if f.lose {
		f.lose = false
		return tlog.Receipt{}, errors.New("the answer is lost")
	}
	return r, err
}

// An entry that a table has must be shown to everybody, also if nobody has posted since
// it turned out that the log has it: what was shown before must not be kept for longer.
func TestLateEntriesAreShown(t *testing.T) {
	log := new(forgetful)
	h := newHouse(t, func(o *httpapi.Options) {
		log.Log = o.Log.(tlog.Log)
		tables := testmust.Have(admission.Open(t.Context(), log, catalogue, admission.Options{}))(t)
		o.Admission = tables
	})
	p := newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
	path := "/v1/tables/" + p.State.ID().String()
	log.lose = true
	if got := h.call("POST", path+"/messages", key(t, p, table.Seat(0))); got.status != 500 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		first, page := string(h.get(path).body), string(h.get(path+"/messages?from=1").body)
		if strings.Contains(first, fmt.Sprintf(`"entries":%d`, 2)) && strings.Contains(page, `"n":1`) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("shown is %s\nand %s", first, page)
		}
	}
}
