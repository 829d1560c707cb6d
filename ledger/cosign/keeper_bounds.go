package cosign

// KeeperBounds bound what a keeper keeps. A zero field means the default.
type KeeperBounds struct {
	Bytes  int64 // of all messages together, on disk
	Tables int   // that are read, each with at most tableShown bytes in memory
}

const (
	usualBytes  = 256 << 20
	usualTables = 1024

	// One table may use 1/tableShare of all bytes: half for the original holders of its seats, in
	// equal shares, and half for later holders.
	tableShare = 16
	seatHolds  = 64 // messages of one holder of a seat that the log does not have
	lastShown  = 64 // most entries of a table that are shown
	tableShown = 128 << 10
	leastShown = 2 // shown even if they are large
)

func (b KeeperBounds) withDefaults() KeeperBounds {
	if b.Bytes == 0 {
		b.Bytes = usualBytes
	}
	if b.Tables == 0 {
		b.Tables = usualTables
	}
	return b
}

// usedRoom is the room in use: in total, and by tables of unknown organisers. These have half of
// it, so that strangers cannot take the room of those for whom the keeper is run.
type usedRoom struct {
	bytes, strangerBytes   int64
	tables, strangerTables int
}

// takeTable takes room for a table and reports whether there was any.
func (r *usedRoom) takeTable(known bool, b KeeperBounds) bool {
	if r.tables >= b.Tables || !known && r.strangerTables >= b.Tables/2 {
		return false
	}
	r.tables++
	if !known {
		r.strangerTables++
	}
	return true
}

// leaveTable gives back the room of a table that holds nothing.
func (r *usedRoom) leaveTable(known bool) {
	r.tables--
	if !known {
		r.strangerTables--
	}
}

// takeBytes takes room for a message of a table; a negative size gives it back.
func (r *usedRoom) takeBytes(t *keptTable, size int64) {
	r.bytes += size
	if !t.known {
		r.strangerBytes += size
	}
}

// hasRoom reports whether there is room for one more message.
func (r *usedRoom) hasRoom(t *keptTable, h holder, size int64, b KeeperBounds) bool {
	if r.bytes+size > b.Bytes || !t.known && r.strangerBytes+size > b.Bytes/2 {
		return false
	}
	own, later, count := size, size, 0
	for other, m := range t.holds {
		if other.holder == h {
			own, count = own+m.size, count+1
		}
		if !t.isOriginal(other.holder) {
			later += m.size
		}
	}
	half := b.Bytes / tableShare / 2
	if t.isOriginal(h) {
		half, later = half/int64(len(t.genesis.Seats)), 0
	}
	return count < seatHolds && own <= half && later <= half
}

// isOriginal reports whether a holder has had its seat from the beginning. A ruler can give a seat
// to any number of keys, so later holders must not take room from original ones.
func (t *keptTable) isOriginal(h holder) bool {
	return h.seat < len(t.genesis.Seats) && h.key == t.genesis.Seats[h.seat]
}
