package event_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// recordedDraw is a seed as docs/spec/vectors/event has it: of a table and its faces, or of a
// secret and notices; and a lot that it gives.
type recordedDraw struct {
	Table   string   `json:"table,omitempty"`
	Faces   []uint16 `json:"faces,omitempty"`
	Secret  string   `json:"secret,omitempty"`
	Notices []string `json:"notices,omitempty"`
	Commit  string   `json:"commit,omitempty"` // of an event in which the secret is that of the round
	Seed    string   `json:"seed"`
	Round   int      `json:"round"`
	Player  int      `json:"player"`
	Lot     string   `json:"lot"`
}

// draws are made by the package.
func draws() (list []recordedDraw) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 6 {
		d := recordedDraw{Round: r.IntN(1000), Player: 1 + r.IntN(65535)}
		var seed event.Seed
		if i%2 == 0 {
			id := wire.HashEntry(fmt.Append(nil, i))
			for _, f := range r.Perm(52)[:event.Faces] {
				d.Faces = append(d.Faces, uint16(f))
			}
			d.Table, seed = id.String(), event.SeedOfTable(id, d.Faces)
		} else {
			var notices []wire.Hash
			for n := range i {
				notices = append(notices, wire.HashEntry(fmt.Append(nil, i, n)))
				d.Notices = append(d.Notices, notices[n].String())
			}
			secret := fmt.Append(nil, "secret ", i)
			d.Secret, seed = hex.EncodeToString(secret), event.SeedOfSecret(secret, notices)
			d.Commit = hex.EncodeToString(event.HashSecret(secret, d.Round))
		}
		lot := seed.Lot(d.Round, d.Player)
		d.Seed, d.Lot = hex.EncodeToString(seed[:]), hex.EncodeToString(lot[:])
		list = append(list, d)
	}
	return list
}

// holds recomputes a draw from 56.1 alone.
func (d recordedDraw) holds() bool {
	var b []byte
	if d.Table != "" {
		id, _ := hex.DecodeString(d.Table)
		b = append([]byte("pakli-draw/v1\n"), id...)
		for _, f := range d.Faces {
			b = binary.BigEndian.AppendUint16(b, f)
		}
	} else {
		b, _ = hex.DecodeString(d.Secret)
		commit := b
		for range d.Round {
			sum := sha256.Sum256(commit)
			commit = sum[:]
		}
		if hex.EncodeToString(commit) != d.Commit {
			return false
		}
		for _, n := range d.Notices {
			hash, _ := hex.DecodeString(n)
			b = append(b, hash...)
		}
	}
	seed := sha256.Sum256(b)
	lot := append([]byte("pakli-lot/v1\n"), seed[:]...)
	lot = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(lot, uint16(d.Round)), uint16(d.Player))
	return hex.EncodeToString(seed[:]) == d.Seed && fmt.Sprintf("%x", sha256.Sum256(lot)) == d.Lot
}

// A seed or a lot that another implementation cannot compute.
func TestDrawVectors(t *testing.T) {
	var b bytes.Buffer
	for i, d := range draws() {
		if !d.holds() {
			t.Errorf("draw %d is not as specified: %+v", i, d)
		}
		b.Write(append(testmust.Have(json.Marshal(d))(t), '\n'))
	}
	same(t, "draws.jsonl", b.Bytes())
}
