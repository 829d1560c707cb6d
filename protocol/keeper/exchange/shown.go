package exchange

import "github.com/pakli/pakli/protocol/wire"

// KeeperView is what a keeper shows everybody about a table: the last entries that it has found in
// the log, and what it holds.
type KeeperView struct {
	Table   wire.Hash    `json:"table"`
	Entries []ShownEntry `json:"entries"`
	Held    []HeldPlace  `json:"held"`
}

// ShownEntry is an entry with its receipt, under a checkpoint that the keeper has cosigned.
type ShownEntry struct {
	Index   uint64 `json:"index"`
	Entry   string `json:"entry"`
	Receipt string `json:"receipt"`
}

// HeldPlace is a message that a keeper holds, with the time since when by its own clock.
type HeldPlace struct {
	Parent wire.Hash `json:"parent"`
	Seat   int       `json:"seat"`
	Entry  wire.Hash `json:"entry"`
	Time   int64     `json:"time"` // in seconds since 1970
}
