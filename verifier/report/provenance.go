package report

import (
	"time"

	"github.com/pakli/pakli/internal/plain"
)

// Provenance says which program wrote a report, when, and from what: the header of the report (81.1).
// No verdict rests on it. The writer of the report fills it in and leaves out what is not known.
type Provenance struct {
	Version string    `json:"version,omitempty"` // of the program that wrote it
	Date    time.Time `json:"date,omitzero"`     // when, by the clock of the program's machine
	Keys    []string  `json:"keys,omitempty"`    // the believed keys of the log
	Word    string    `json:"word,omitempty"`    // who vouches for the keys, in the report's language
	Source  string    `json:"source,omitempty"`  // what was read: a file, a directory or an address
	SHA256  string    `json:"sha256,omitempty"`  // of that file
}

// Header returns a provenance in words, a line for each known thing.
func (l Language) Header(p Provenance) (list []string) {
	if p.Version != "" {
		list = append(list, l.Say("written.version", "version", plain.Text(p.Version)))
	}
	if !p.Date.IsZero() {
		list = append(list, l.Say("written.date", "time", timeText(p.Date)))
	}
	if p.Source != "" {
		list = append(list, l.Say("written.source", "source", plain.Text(p.Source)))
	}
	if p.SHA256 != "" {
		list = append(list, l.Say("written.sha256", "hash", p.SHA256))
	}
	for _, key := range p.Keys {
		list = append(list, l.Say("written.key", "key", plain.Text(key)))
	}
	if p.Word != "" {
		list = append(list, plain.Text(p.Word))
	}
	return list
}

// WordOfFile returns who vouches for a key that nobody gave and that only the file itself names.
func (l Language) WordOfFile() string { return l.Say("written.own") }
