package httpapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
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
		o.Admission = testmust.Have(admission.Open(t.Context(), log, catalogue, admission.Options{}))(t)
	})
	p, path := h.newTable(wire.RefuseFouls)
	log.lose = true
	h.expect(500, h.post(path+"/messages", key(t, p, 0)))
	testwait.Until(t, "a table with both entries", func() bool {
		return strings.Contains(string(h.get(path).body), `"entries":2`) && strings.Contains(string(h.get(path+"/messages?from=1").body), `"n":1`)
	})
}
