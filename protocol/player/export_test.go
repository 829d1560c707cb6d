package player

import "github.com/pakli/pakli/protocol/wire"

// EntryElsewhere is the entry because of which Play returns ErrElsewhere; nil if there is none.
func (p *Seat) EntryElsewhere() *wire.Entry { return p.away }
