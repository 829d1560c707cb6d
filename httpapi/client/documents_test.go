package client_test

import (
	"testing"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// Keys of another name, keys that are there twice, and kinds of keys that are
// not known yet must neither be believed nor keep those that are from being used.
func TestLogInfoVerifiers(t *testing.T) {
	key := func(name string, a tlog.Algorithm) string {
		_, k := ledgertest.NewKey(t, name, a)
		return k.Verifier().String()
	}
	main, next, lattice := key("log.example", tlog.Ed25519), key("log.example", tlog.Ed25519), key("log.example", tlog.MLDSA44)
	for what, c := range map[string]struct {
		info client.LogInfo
		want []string
	}{
		"an older server":   {client.LogInfo{Key: main}, []string{main}},
		"while keys change": {client.LogInfo{Key: main, Keys: []string{main, next, lattice}}, []string{main, next, lattice}},
		"a stranger's":      {client.LogInfo{Key: main, Keys: []string{main, key("other.example", tlog.Ed25519)}}, []string{main}},
		"an unknown kind":   {client.LogInfo{Key: main, Keys: []string{main, "log.example+00000000+/w==", next}}, []string{main, next}},
		"in another order":  {client.LogInfo{Key: main, Keys: []string{next, main}}, []string{main, next}},
		"no key":            {client.LogInfo{Keys: []string{next}}, nil},
		"main is not a key": {client.LogInfo{Key: "x", Keys: []string{next}}, nil},
		"nothing at all":    {client.LogInfo{}, nil},
	} {
		got, err := c.info.Verifiers()
		if (err == nil) != (c.want != nil) || len(got) != len(c.want) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, c.want)
			continue
		}
		for i, k := range got {
			if k.String() != c.want[i] {
				t.Errorf("%s: key %d is %v, want %s", what, i, k, c.want[i])
			}
		}
	}
}
