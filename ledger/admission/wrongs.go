package admission

import (
	"sync"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// maxWrong bounds each of the two halves of wrongs.
const maxWrong = 2048

// wrongs are entries that were checked and are wrong. An entry names its parent,
// and so all that it is judged by: the same bytes need no second check, which
// may be dear. The latest ones are remembered, maxWrong of them at least.
type wrongs struct {
	mu           sync.Mutex
	newer, older map[wire.Hash]*table.Fault
}

// get returns what is wrong with an entry, if that is remembered.
func (k *wrongs) get(entry wire.Hash) (fault *table.Fault, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fault, ok = k.newer[entry]; !ok {
		fault, ok = k.older[entry]
	}
	return fault, ok
}

// put remembers what is wrong with an entry.
func (k *wrongs) put(entry wire.Hash, fault *table.Fault) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.newer == nil || len(k.newer) >= maxWrong {
		k.newer, k.older = map[wire.Hash]*table.Fault{}, k.newer
	}
	k.newer[entry] = fault
}
