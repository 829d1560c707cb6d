package group

// Encode returns the canonical encodings of elements, one after another.
func Encode(elements ...*Element) []byte {
	b := make([]byte, 0, ElementSize*len(elements))
	for _, e := range elements {
		b = e.AppendTo(b)
	}
	return b
}
