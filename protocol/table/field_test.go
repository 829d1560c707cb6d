package table_test

import (
	"reflect"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/table"
)

// innerField is a field that is not exported, of what a pointer points to. With an export_test.go in its place Go
// compiles the twenty packages between the table and these tests a second time.
func innerField(pointer reflect.Value, name string) reflect.Value {
	f := pointer.Elem().FieldByName(name)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

// spendValues has a seat have revealed all values but some.
func spendValues(s *table.State, seat table.Seat, left int) {
	innerField(innerField(reflect.ValueOf(s), "challengeState"), "revealed").Interface().([]int)[seat] = table.Links - left
}

// keptTables is of how many entries the table after them is kept.
func keptTables(s *table.State) (n int) {
	count := func(link reflect.Value) {
		if innerField(link, "after").Interface().(*atomic.Pointer[table.State]).Load() != nil {
			n++
		}
	}
	line := innerField(reflect.ValueOf(s), "line")
	for i := range line.Len() {
		count(line.Index(i))
		if branch := innerField(innerField(line.Index(i), "beside").Addr(), "branchLinks"); !branch.IsNil() {
			for list, j := innerField(branch, "list"), 0; j < list.Len(); j++ {
				count(list.Index(j))
			}
		}
	}
	return n
}

// sameTable reports whether two tables are the same, but for their clocks, and what lies beside their histories.
func sameTable(a, b *table.State) bool {
	one, other := *a, *b
	for _, s := range []*table.State{&one, &other} {
		innerField(reflect.ValueOf(s), "branches").SetZero()
		innerField(reflect.ValueOf(s), "runningClock").SetZero()
	}
	return reflect.DeepEqual(one, other)
}
