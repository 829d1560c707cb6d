package limit

import "container/list"

// recent remembers values by their keys, the ones used last and no more than
// maxKnown.
type recent[K comparable, V any] struct {
	known map[K]*list.Element
	order *list.List // of *item[K, V], the one used last in front
}

type item[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any]() recent[K, V] {
	return recent[K, V]{map[K]*list.Element{}, list.New()}
}

// peek returns what is remembered, if anything is, and is no use of it.
func (r recent[K, V]) peek(key K) (value V, ok bool) {
	if e, ok := r.known[key]; ok {
		return e.Value.(*item[K, V]).value, true
	}
	return value, false
}

// use returns what is remembered, or else remembers what fresh returns.
func (r recent[K, V]) use(key K, fresh func() V) *V {
	if e, ok := r.known[key]; ok {
		r.order.MoveToFront(e)
		return &e.Value.(*item[K, V]).value
	}
	if r.order.Len() >= maxKnown {
		oldest := r.order.Remove(r.order.Back()).(*item[K, V])
		delete(r.known, oldest.key)
	}
	i := &item[K, V]{key, fresh()}
	r.known[key] = r.order.PushFront(i)
	return &i.value
}
