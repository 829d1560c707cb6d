package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/pakli/pakli/protocol/wire"
)

// Seed decides all lots of a round.
type Seed [sha256.Size]byte

// Faces is how many cards of a table of the draw make the seed.
const Faces = 40

// SeedOfTable returns the seed from the faces shown at a table of the draw (56.1.1).
func SeedOfTable(table wire.Hash, faces []uint16) Seed {
	b := append([]byte("pakli-draw/v1\n"), table[:]...)
	for _, f := range faces {
		b = binary.BigEndian.AppendUint16(b, f)
	}
	return sha256.Sum256(b)
}

// HashSecret hashes a secret the given number of times. One hash binds the organiser to the secrets
// of all rounds: it is that of round r hashed r times, so each secret tells those of earlier rounds
// and none of later rounds (56.1.2).
func HashSecret(secret []byte, times int) []byte {
	for range times {
		sum := sha256.Sum256(secret)
		secret = sum[:]
	}
	return secret
}

// SeedOfSecret returns the seed from the organiser's secret and the accepted notices, in the order
// of their numbers (56.1.2).
func SeedOfSecret(secret []byte, accepted []wire.Hash) Seed {
	b := bytes.Clone(secret)
	for _, h := range accepted {
		b = append(b, h[:]...)
	}
	return sha256.Sum256(b)
}

// Lot returns a player's lot in a round. Round 0 is for places of a plan and for ties (56.1.3).
func (s Seed) Lot(round, player int) [sha256.Size]byte {
	b := append([]byte("pakli-lot/v1\n"), s[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(round))
	return sha256.Sum256(binary.BigEndian.AppendUint16(b, uint16(player)))
}

func (s Seed) byLot(round int, players []int) []int {
	lots := map[int][sha256.Size]byte{}
	for _, p := range players {
		lots[p] = s.Lot(round, p)
	}
	return slices.SortedFunc(slices.Values(players), func(a, b int) int {
		la, lb := lots[a], lots[b]
		return bytes.Compare(la[:], lb[:])
	})
}
