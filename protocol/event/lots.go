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

// Faces is how many cards of the table of the draw make the seed.
const Faces = 40

// SeedOfTable is the seed that the faces shown at a table of the draw give (56.1.1).
func SeedOfTable(table wire.Hash, faces []uint16) Seed {
	b := append([]byte("pakli-draw/v1\n"), table[:]...)
	for _, f := range faces {
		b = binary.BigEndian.AppendUint16(b, f)
	}
	return sha256.Sum256(b)
}

// HashSecret hashes a secret so many times. The organiser is bound to the secrets of all rounds by one
// hash: that of round r hashed r times, so that each one tells those before it and none after it (56.1.2).
func HashSecret(secret []byte, times int) []byte {
	for range times {
		sum := sha256.Sum256(secret)
		secret = sum[:]
	}
	return secret
}

// SeedOfSecret is the seed of the organiser's secret and the accepted notices, in the
// order of their numbers (56.1.2).
func SeedOfSecret(secret []byte, accepted []wire.Hash) Seed {
	b := bytes.Clone(secret)
	for _, h := range accepted {
		b = append(b, h[:]...)
	}
	return sha256.Sum256(b)
}

// Lot is a player's in a round; in round 0, that of places of a plan and of ties (56.1.3).
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
