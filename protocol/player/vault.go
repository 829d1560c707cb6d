package player

import "github.com/pakli/pakli/protocol/wire"

// Vault keeps a seat's records by name, for one holder at a time: while one
// holds it, nobody else can open it. Encryption and access are its
// own business.
type Vault interface {
	// Read returns a record. If there never was one, the error is fs.ErrNotExist; one
	// that was kept and cannot be read is another error.
	Read(name string) ([]byte, error)
	// Replace returns when the record is whole and durable, over a loss of power too,
	// or with an error. Until then, whatever happens, the old one is in place or the new.
	Replace(name string, data []byte) error
	// Close lets another hold the vault. Nothing is replaced after that.
	Close() error
}

// SeatRecord is the name of the record with the seat's secrets.
const SeatRecord = "seat"

// JournalRecord is the name of a seat's journal of a table. It holds no secret but,
// before it is posted, what the seat signed last.
func JournalRecord(table wire.Hash) string { return table.String() + ".journal" }
