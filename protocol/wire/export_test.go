package wire

// Text is a message as its entry has it.
func Text(m *Message) any { return m.text() }
