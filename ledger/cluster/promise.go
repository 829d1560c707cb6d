package cluster

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

const head = "pakli promise v1\n"

// MarshalPromise returns the text of a promise of the log called origin.
func MarshalPromise(origin string, p ledger.Promise) []byte {
	text := head + origin + "\n" + strconv.FormatUint(p.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(p.Root[:]) + "\n"
	if p.Left != "" {
		text += "left " + p.Left + "\n"
	}
	return []byte(text)
}

// ParsePromise reads a promise of the log called origin. It accepts only text of MarshalPromise.
func ParsePromise(origin string, text []byte) (p ledger.Promise, err error) {
	malformed := fmt.Errorf("the register does not hold a promise of %q: %.120q", origin, text)
	rest, ok := strings.CutPrefix(string(text), head+origin+"\n")
	lines := strings.Split(rest, "\n")
	if !ok || len(lines) < 3 || len(lines) > 4 {
		return p, malformed
	}
	root, bad := base64.StdEncoding.DecodeString(lines[1])
	if p.Size, err = strconv.ParseUint(lines[0], 10, 62); err != nil || bad != nil || len(root) != len(tlog.Hash{}) {
		return ledger.Promise{}, malformed
	}
	p.Root = tlog.Hash(root)
	if len(lines) == 4 {
		p.Left = strings.TrimPrefix(lines[2], "left ")
	}
	if !bytes.Equal(MarshalPromise(origin, p), text) {
		return ledger.Promise{}, malformed
	}
	return p, nil
}
