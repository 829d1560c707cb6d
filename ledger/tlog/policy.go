package tlog

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// A Policy lists the logs that are believed and the known cosigners, and says which cosigners must
// have cosigned a checkpoint for it to count (c2sp.org/tlog-policy).
type Policy struct {
	Logs      []PolicyLog
	Cosigners []PolicyCosigner

	groups  map[string]group
	members map[string]bool // names that are members of a group
	quorum  string          // "" while parsing
}

// PolicyLog is a key of a log. The name of the key is the log's origin. A log that changes keys has
// a PolicyLog for each.
type PolicyLog struct {
	Key *VerifierKey
	URL string // "" if not given
}

// PolicyCosigner is a cosigner that a policy knows.
type PolicyCosigner struct {
	Name string // in this policy
	Key  *VerifierKey
	URL  string // submission prefix of c2sp.org/tlog-witness, "" if not given

	// Lines is the key with which a keeper signs what it holds of a table's messages
	// (docs/spec/66-cosigners.md, 66.8), or nil if the cosigner is not a keeper.
	Lines *VerifierKey
}

// A group counts as having cosigned if at least k of its members have. Every name is a member of at
// most one group, so that groups are trees.
type group struct {
	k       int
	members []string
}

// noQuorum is the name of the quorum that needs no cosigner.
const noQuorum = "none"

// ParsePolicy reads a policy:
//
//	log <vkey> [<url>]
//	witness <name> <vkey> [<url>]
//	group <name> all|any|<k> <name>...
//	quorum <name>|none
//
// One line holds one definition; a comment is a line of its own after #. Names are defined before
// they are used. ParsePolicy also reads comments of the form
//
//	# pakli keeper <witness> <vkey>
//
// which other readers ignore (docs/spec/66-cosigners.md, 66.8). Errors are ErrMalformed and name
// the line.
func ParsePolicy(text []byte) (*Policy, error) {
	if len(text) > maxPolicy {
		return nil, malformedError("policy", "%d bytes, at most %d allowed", len(text), maxPolicy)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return nil, malformedError("policy", "the last line is cut short: it does not end with a line feed")
	}
	p := &Policy{groups: map[string]group{}, members: map[string]bool{}}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := p.parseLine(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, malformedError("policy", "line %d: %v", number, err)
		}
	}
	if p.quorum == "" {
		return nil, malformedError("policy", "no quorum is defined")
	}
	return p, nil
}

func (p *Policy) parseLine(line string) error {
	for i := range len(line) {
		if b := line[i]; b < 0x20 && b != '\t' || b == 0x7f {
			return fmt.Errorf("control character %#02x", b)
		}
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) > 2 && words[0] == "#" && words[1] == "pakli" && words[2] == "keeper" {
		return p.addKeeper(words[3:])
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return nil
	}
	keyword, words := words[0], words[1:]
	switch {
	case keyword == "log" && (len(words) == 1 || len(words) == 2):
		return p.addLog(words)
	case keyword == "witness" && (len(words) == 2 || len(words) == 3):
		return p.addCosigner(words)
	case keyword == "group" && len(words) >= 3:
		return p.addGroup(words[0], words[1], words[2:])
	case keyword == "quorum" && len(words) == 1:
		return p.setQuorum(words[0])
	}
	return fmt.Errorf("%.20q with %d words is no definition", keyword, len(words))
}

func (p *Policy) addLog(words []string) error {
	k, err := ParseLogKey(words[0])
	if err != nil {
		return err
	}
	for _, l := range p.Logs {
		if l.Key.sameAs(k) {
			return fmt.Errorf("the key of log %q is there twice", k.name)
		}
	}
	if len(p.Logs) == maxPolicyKeys {
		return fmt.Errorf("more than %d logs", maxPolicyKeys)
	}
	p.Logs = append(p.Logs, PolicyLog{k, strings.Join(words[1:], "")})
	return nil
}

func (p *Policy) addCosigner(words []string) error {
	if err := p.checkNew(words[0]); err != nil {
		return err
	}
	k, err := ParseCosignerKey(words[1])
	if err != nil {
		return err
	}
	for _, c := range p.Cosigners {
		if c.Key.sameAs(k) {
			return fmt.Errorf("witnesses %q and %q have one key", c.Name, words[0])
		}
	}
	if len(p.Cosigners) == maxPolicyKeys {
		return fmt.Errorf("more than %d witnesses", maxPolicyKeys)
	}
	p.Cosigners = append(p.Cosigners, PolicyCosigner{Name: words[0], Key: k, URL: strings.Join(words[2:], "")})
	return nil
}

// addKeeper reads the name of a witness and the key with which it signs lines as a keeper.
func (p *Policy) addKeeper(words []string) error {
	if len(words) != 2 {
		return fmt.Errorf("a keeper has a witness and a key, not %d words", len(words))
	}
	i := slices.IndexFunc(p.Cosigners, func(c PolicyCosigner) bool { return c.Name == words[0] })
	if i < 0 {
		return fmt.Errorf("keeper %.40q is no witness that is defined before", words[0])
	}
	k, err := ParseVerifierKey(words[1])
	if err != nil {
		return err
	}
	if k.algorithm != Ed25519 {
		return fmt.Errorf("the key of keeper %q is of algorithm %#02x, and lines are signed with %#02x", words[0], byte(k.algorithm), byte(Ed25519))
	}
	for _, c := range p.Cosigners {
		if c.Key.sameAs(k) || c.Lines != nil && (c.Name == words[0] || c.Lines.sameAs(k)) {
			return fmt.Errorf("keeper %q has a key already, or its key is there twice", words[0])
		}
	}
	p.Cosigners[i].Lines = k
	return nil
}

// sameAs reports whether two keys have one public key, or cannot be told apart in a note.
func (k *VerifierKey) sameAs(other *VerifierKey) bool {
	return slices.Equal(k.public, other.public) || k.name == other.name && k.KeyHash() == other.KeyHash()
}

func (p *Policy) addGroup(name, threshold string, members []string) error {
	if err := p.checkNew(name); err != nil {
		return err
	}
	if len(p.groups) == maxPolicyKeys {
		return fmt.Errorf("more than %d groups", maxPolicyKeys)
	}
	k, err := parseThreshold(threshold, len(members))
	if err != nil {
		return err
	}
	for _, m := range members {
		if !p.isDefined(m) {
			return fmt.Errorf("member %.40q is not defined before", m)
		}
		if p.members[m] {
			return fmt.Errorf("%.40q is a member of a group already", m)
		}
		p.members[m] = true
	}
	p.groups[name] = group{k, members}
	return nil
}

func parseThreshold(s string, n int) (int, error) {
	switch s {
	case "any":
		return 1, nil
	case "all":
		return n, nil
	}
	k, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(k) != s || k < 1 || k > n {
		return 0, fmt.Errorf("%.20q of %d members: want all, any, or a number from 1 to %d", s, n, n)
	}
	return k, nil
}

func (p *Policy) setQuorum(name string) error {
	if p.quorum != "" {
		return fmt.Errorf("a second quorum")
	}
	if name != noQuorum && !p.isDefined(name) {
		return fmt.Errorf("quorum %.40q is not defined before", name)
	}
	p.quorum = name
	return nil
}

func (p *Policy) checkNew(name string) error {
	if name == noQuorum || p.isDefined(name) {
		return fmt.Errorf("the name %.40q is taken", name)
	}
	return nil
}

func (p *Policy) isDefined(name string) bool {
	_, ok := p.groups[name]
	return ok || slices.ContainsFunc(p.Cosigners, func(c PolicyCosigner) bool { return c.Name == name })
}

// A Cosignature is a cosigner's statement that a checkpoint contradicts none that it has cosigned
// before and that the checkpoint was the newest of them at Time. A zero Time says nothing about
// time.
type Cosignature struct {
	Cosigner string    `json:"cosigner"` // name in the policy
	Key      string    `json:"key"`      // name of the key
	Time     time.Time `json:"time,omitzero"`
}

// Cosignatures returns the cosignatures by the policy's cosigners that c carries, in the order of
// the note. If one of them does not verify, it returns ErrUnsigned and none of them counts.
func (p *Policy) Cosignatures(c Checkpoint) ([]Cosignature, error) {
	keys := make([]*VerifierKey, len(p.Cosigners))
	for i, known := range p.Cosigners {
		keys[i] = known.Key
	}
	sigs, err := c.signaturesOf(keys)
	var list []Cosignature
	for _, s := range sigs {
		for _, known := range p.Cosigners {
			if known.Key.name == s.Name && known.Key.KeyHash() == s.Hash {
				list = append(list, Cosignature{Cosigner: known.Name, Key: s.Name, Time: timeOf(s)})
			}
		}
	}
	return list, err
}

// IsSatisfied reports whether seen, the cosignatures of one checkpoint, are a quorum.
func (p *Policy) IsSatisfied(seen []Cosignature) bool {
	return p.quorum == noQuorum || p.hasCosigned(p.quorum, seen)
}

func (p *Policy) hasCosigned(name string, seen []Cosignature) bool {
	g, isGroup := p.groups[name]
	if !isGroup {
		return slices.ContainsFunc(seen, func(s Cosignature) bool { return s.Cosigner == name })
	}
	n := 0
	for _, m := range g.members {
		if p.hasCosigned(m, seen) {
			n++
		}
	}
	return n >= g.k
}

// timestampSize is the length of the timestamp before a cosignature: u64 BE.
const timestampSize = 8

// cosignedBytes returns the bytes that a cosigner signs for a checkpoint's text
// (c2sp.org/tlog-cosignature). With Ed25519 they are
//
//	cosignature/v1 LF time <timestamp> LF <text>
//
// and with ML-DSA-44
//
//	"subtree/v1\n\0" | u8 len, cosigner name | u64 timestamp | u8 len, origin | u64 0 | u64 size | root
//
// Only the former covers extension lines.
func cosignedBytes(a Algorithm, name string, timestamp uint64, text []byte) ([]byte, error) {
	if timestamp > maxSize {
		return nil, malformedError("cosignature", "time %d", timestamp)
	}
	c, err := parseText(string(text), nil)
	if err != nil {
		return nil, err
	}
	if a == Ed25519Cosignature {
		return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", timestamp), text...), nil
	}
	if len(c.Origin) > maxKeyName {
		return nil, malformedError("checkpoint", "origin of %d bytes", len(c.Origin))
	}
	b := append([]byte("subtree/v1\n\x00"), byte(len(name)))
	b = append(b, name...)
	b = binary.BigEndian.AppendUint64(b, timestamp)
	b = append(b, byte(len(c.Origin)))
	b = append(b, c.Origin...)
	b = binary.BigEndian.AppendUint64(b, 0)
	b = binary.BigEndian.AppendUint64(b, c.Size)
	return append(b, c.Root[:]...), nil
}

// signaturesOf returns the signatures by keys that c carries, in the order of the note, and ignores
// others. If one of them does not verify, it returns ErrUnsigned and no signatures.
func (c Checkpoint) signaturesOf(keys []*VerifierKey) ([]note.Signature, error) {
	verifiers := make([]note.Verifier, len(keys))
	for i, k := range keys {
		verifiers[i] = k
	}
	n, err := note.Open(c.Note, note.VerifierList(verifiers...))
	if _, none := errors.AsType[*note.UnverifiedNoteError](err); none {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cosignatures on %q, size %d: %w: %v", c.Origin, c.Size, ErrUnsigned, err)
	}
	return n.Sigs, nil
}

// lastTime is the end of the year 9999, the last that RFC 3339 can write.
const lastTime = 253402300799

// timeOf returns the timestamp of a verified cosignature, or the zero Time if it is 0 or no date
// can express it: the cosigner's clock is wrong, but the reader should go on.
func timeOf(s note.Signature) time.Time {
	raw, err := base64.StdEncoding.DecodeString(s.Base64)
	if err != nil || len(raw) < 4+timestampSize {
		return time.Time{}
	}
	seconds := binary.BigEndian.Uint64(raw[4:])
	if seconds == 0 || seconds > lastTime {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// AddCosignatures returns c with a signature of k taken from lines, as a cosigner sends them, and
// the time of that signature. It ignores signatures by other keys and fails if there is none by k.
func (c Checkpoint) AddCosignatures(lines []byte, k *VerifierKey) (Checkpoint, time.Time, error) {
	if len(lines) == 0 || lines[len(lines)-1] != '\n' || len(c.Note)+len(lines) > MaxCheckpoint {
		return c, time.Time{}, malformedError("cosignature", "%d bytes", len(lines))
	}
	// Only the text of c and the lines are read: the lines are not to blame for what c carries
	// already.
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	answered := Checkpoint{Origin: c.Origin, Size: c.Size, Root: c.Root, Note: append([]byte(text+"\n\n"), lines...)}
	sigs, err := answered.signaturesOf([]*VerifierKey{k})
	if err != nil {
		return c, time.Time{}, err
	}
	if len(sigs) == 0 {
		return c, time.Time{}, malformedError("cosignature", "no signature of %s+%08x", k.Name(), k.KeyHash())
	}
	line := fmt.Sprintf("— %s %s\n", sigs[0].Name, sigs[0].Base64)
	more := c
	more.Note = append(append(make([]byte, 0, len(c.Note)+len(line)), c.Note...), line...)
	if _, err := ParseCheckpoint(more.Note); err != nil { // as every reader would
		return c, time.Time{}, err
	}
	return more, timeOf(sigs[0]), nil
}
