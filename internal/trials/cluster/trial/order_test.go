package trial

import (
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

// A log that puts an entry before one that was acknowledged before it was posted; or one
// that is blamed for the order of entries that were under way at the same time.
func TestInOrder(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	together := []Ack{{Index: 7, Client: 1, Begun: at(0), At: at(10)}, {Index: 3, Client: 2, Begun: at(1), At: at(9)}, {Index: 9, Client: 3, Begun: at(11), At: at(12)}}
	testmust.Do(t, inOrder(together))
	late := append(together, Ack{Index: 5, Client: 4, Begun: at(11), At: at(13)})
	err := inOrder(late)
	testmust.Fail(t, err, "an entry at 5 was posted after the one at 7 had been acknowledged, and nobody minds")
}
