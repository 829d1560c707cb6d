package wire_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

//go:generate go test -run TestVectors -update .

// A vector is an entry and what must come of it. One thing is wrong in each.
type vector struct {
	name    string
	expect  string // success, malformed or signature
	err     string // part of the error's text
	comment string // what is wrong
	entry   []byte
}

// line is a vector as its file has it.
func (v vector) line() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(struct {
		Name    string `json:"name"`
		Comment string `json:"comment"`
		Expect  string `json:"expect"`
		Check   string `json:"check,omitempty"`
		Error   string `json:"error,omitempty"`
		Entry   string `json:"entry,omitempty"`
	}{v.name, v.comment, v.expect, v.check(), v.err, string(v.entry)}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// check is the one that a message fails (50.3); a genesis entry fails G1-genesis.
func (v vector) check() string {
	switch {
	case v.expect == "success":
		return ""
	case strings.HasPrefix(v.name, "genesis"):
		return "G1-genesis"
	case v.expect == "signature":
		return "T6-signature"
	}
	return "T1-form"
}

// keys are the organiser and 16 seats.
type keys struct {
	signers []note.Signer
	vkeys   []string
	seeds   [][]byte
}

func newKeys() *keys {
	k := new(keys)
	random := rand.NewChaCha8([32]byte{'k', 'e', 'y', 's'})
	for i := range 17 {
		skey, vkey, err := note.GenerateKey(random, fmt.Sprintf("key-%d", i))
		if err != nil {
			panic(err)
		}
		s, err := note.NewSigner(skey)
		if err != nil {
			panic(err)
		}
		private, err := base64.StdEncoding.DecodeString(strings.SplitN(skey, "+", 5)[4])
		if err != nil {
			panic(err)
		}
		k.signers, k.vkeys, k.seeds = append(k.signers, s), append(k.vkeys, vkey), append(k.seeds, private[1:])
	}
	return k
}

// verifier is the key an entry ought to be signed by: that of the organiser or
// of seat 1.
func (k *keys) verifier(e *bulletin.Entry) note.Verifier {
	vkey := k.vkeys[0]
	switch {
	case e.Message != nil:
		vkey = k.vkeys[e.Message.Seat+1]
	case e.Act != nil:
		return e.Act.Signer()
	case e.Notice != nil:
		vkey = e.Notice.By
	case e.Decision != nil:
		vkey = e.Decision.By
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		panic(err)
	}
	return v
}

func (k *keys) genesis() string {
	return `{"pakli":"table/v1","game":"whist/v1","suite":"ristretto255-bayergroth/v1","options":{"a":"1","b":""},"deals":2,"fouls":"refuse",` +
		`"clock":{"key":"","move":0,"bank":0},"organiser":"` + k.vkeys[0] + `","seats":["` + k.vkeys[1] + `","` + k.vkeys[2] + `","` + k.vkeys[3] + `"],"nonce":"AAECAwQFBgcICQoLDA0ODw=="}`
}

const message = `{"pakli":"message/v1","table":"00000000000000000000000000000000000000000000000000000000000000aa",` +
	`"parent":"00000000000000000000000000000000000000000000000000000000000000bb","seat":1,"kind":"show","body":{"tokens":["AQI="]},"proofs":["Aw=="]}`

// signed signs any text by key i.
func (k *keys) signed(i int, text string) []byte {
	entry, err := note.Sign(&note.Note{Text: text + "\n"}, k.signers[i])
	if err != nil {
		panic(err)
	}
	return entry
}

// vectors lists all vectors, each made from a good entry by one change.
func vectors() []vector {
	k := newKeys()
	list := []vector{
		{"genesis", "success", "", "a table", k.signed(0, k.genesis())},
		{"message", "success", "", "a message", k.signed(2, message)},
	}
	add := func(name, err, comment string, entry []byte) {
		list = append(list, vector{name, "malformed", err, comment, entry})
	}
	message := k.change(&list, 2, "message-", message)
	messageVectors(message)
	list = append(list, bodies(k)...)
	blobVectors(k, message, &list)
	genesisVectors(k, k.change(&list, 0, "genesis-", k.genesis()))
	noteVectors(k, add)
	list = append(list, k.endings()...)
	list = append(list, k.events()...)
	return append(list, signatureVectors(k)...)
}

// blobVectors are about proofs that are too long for an entry.
func blobVectors(k *keys, v changed, list *[]vector) {
	blob := bytes.Repeat([]byte{7}, wire.MaxInline+1)
	name := fmt.Sprintf(`"sha256:%x:%d"`, sha256.Sum256(blob), len(blob))
	entry := k.signed(2, strings.Replace(message, `"Aw=="`, name, 1))
	add := func(name, expect, err, comment string, parcel []byte) {
		*list = append(*list, vector{name, expect, err, comment, parcel})
	}
	add("blob", "success", "", "a message that names a blob, which is kept elsewhere (10.8)", entry)
	add("blob-attached", "success", "", "a message with its blob (10.8)", append(bytes.Clone(entry), blob...))
	add("blob-short", "malformed", "bytes follow the one signature", "a blob cut short (10.8)", append(bytes.Clone(entry), blob[1:]...))
	add("blob-long", "malformed", "bytes follow the one signature", "a byte too many (10.8)", append(append(bytes.Clone(entry), blob...), 7))
	add("blob-other", "malformed", "are not sha256:", "another blob of the same size (10.8)", append(append(bytes.Clone(entry), 8), blob[1:]...))
	add("blob-unnamed", "malformed", "bytes follow the one signature", "a blob that no proof names (10.8)", append(k.signed(2, message), blob...))
	v("blob-inline", `"Aw=="`, `"`+base64.StdEncoding.EncodeToString(blob)+`"`, "or be a blob", "a long proof in the entry (10.8)")
	v("blob-small", `"Aw=="`, strings.Replace(name, "16385", "16384", 1), "blob of 16384 bytes", "a blob that fits an entry (10.8)")
	v("blob-large", `"Aw=="`, strings.Replace(name, "16385", "16777217", 1), "blob of 16777217 bytes", "a blob over the limit (10.8)")
	v("blobs-large", `"Aw=="`, strings.Replace(name, "16385", "16777216", 1)+","+name, "blobs of 16793601 bytes", "blobs over the limit together (10.8)")
	v("blob-zero", `"Aw=="`, strings.Replace(name, "16385", "016385", 1), "blob of 016385 bytes", "a leading zero (10.8)")
	v("blob-plus", `"Aw=="`, strings.Replace(name, "16385", "+16385", 1), "blob of +16385 bytes", "a sign (10.8)")
	v("blob-no-size", `"Aw=="`, strings.Replace(name, ":16385", "", 1), "blob of ", "no size (10.8)")
	v("blob-upper", `"Aw=="`, strings.ToUpper(name), "canonical base64", "an upper-case name (10.8)")
	v("blob-no-hash", `"Aw=="`, `"sha256:00:16385"`, "is not a hash", "a hash of two digits (10.8)")
	v("blob-space", `"Aw=="`, strings.Replace(name, ":16385", ": 16385", 1), "blob of  16385 bytes", "white space (10.8)")
}

// changed adds a vector in which another text stands for one of a good entry.
type changed func(name, old, new, err, comment string)

// change makes vectors of a text, which key i signs.
func (k *keys) change(list *[]vector, i int, prefix, text string) changed {
	return func(name, old, new, err, comment string) {
		if strings.Count(text, old) != 1 {
			panic(fmt.Sprintf("%s: %q is there %d times", name, old, strings.Count(text, old)))
		}
		*list = append(*list, vector{prefix + name, "malformed", err, comment, k.signed(i, strings.Replace(text, old, new, 1))})
	}
}

func messageVectors(v changed) {
	v("space", `,"seat":1`, `, "seat":1`, "not canonical", "white space (10.3.2)")
	v("order", `"seat":1,"kind":"show"`, `"kind":"show","seat":1`, "not canonical", "fields in another order (10.3.1)")
	v("field-missing", `,"proofs":["Aw=="]`, ``, "not canonical", "a field is missing (10.3.1)")
	v("field-added", `"seat":1`, `"seat":1,"more":1`, "not canonical", "a field too many (10.3.1)")
	v("field-twice", `"seat":1`, `"seat":1,"seat":1`, "not canonical", "a field twice (10.3.1)")
	v("field-case", `"seat":1`, `"Seat":1`, "not canonical", "a field in another case (10.3.1)")
	v("trailing", `"proofs":["Aw=="]}`, `"proofs":["Aw=="]}{}`, "not canonical", "bytes after the object")
	v("seat-zero", `"seat":1`, `"seat":01`, "want a number", "a leading zero (10.3.3)")
	v("seat-minus-zero", `"seat":1`, `"seat":-0`, "not canonical", "minus zero (10.3.3)")
	v("seat-exponent", `"seat":1`, `"seat":1e0`, "not canonical", "an exponent (10.3.3)")
	v("seat-fraction", `"seat":1`, `"seat":1.0`, "not canonical", "a fraction (10.3.3)")
	v("seat-string", `"seat":1`, `"seat":"1"`, "want a number", "a number as a string")
	v("seat-null", `"seat":1`, `"seat":null`, "not canonical", "no number")
	v("seat-negative", `"seat":1`, `"seat":-1`, "out of range", "seat below 0 (10.5)")
	v("seat-large", `"seat":1`, `"seat":16`, "out of range", "seat above 15 (10.5)")
	v("table-short", `00aa"`, `aa"`, "is not a hash", "a hash of 62 digits (10.2)")
	v("table-upper", `00aa"`, `00AA"`, "is not a hash", "upper-case digits (10.2)")
	v("parent-no-hex", `00bb"`, `00bg"`, "is not a hash", "no hexadecimal digit (10.2)")
	v("kind-empty", `"show"`, `""`, "kind has 0 bytes", "no kind (10.5)")
	v("kind-long", `"show"`, `"`+strings.Repeat("s", 33)+`"`, "kind has 33 bytes", "a kind of 33 bytes (10.5)")
	v("body-list", `{"tokens":["AQI="]}`, `["AQI="]`, `want "{"`, "a list as body (10.5)")
	v("body-null", `{"tokens":["AQI="]}`, `null`, `want "{"`, "no body (10.5)")
	v("body-space", `{"tokens":["AQI="]}`, `{"tokens": ["AQI="]}`, "not canonical", "white space in the body (10.3.2)")
	for _, value := range bodyValues {
		v("body-"+value.name, `["AQI="]`, value.text, value.err, value.comment)
	}
	v("proofs-null", `["Aw=="]`, `null`, `want "["`, "no list of proofs (10.5)")
	v("proofs-many", `["Aw=="]`, `["`+strings.Repeat(`Aw==","`, 32)+`Aw=="]`, "at most 32", "33 proofs (10.5)")
	v("proof-empty", `"Aw=="`, `""`, "proof 0 has 0 bytes", "an empty proof (10.5)")
	v("proof-null", `"Aw=="`, `null`, "not canonical", "no proof (10.5)")
	v("proof-unpadded", `"Aw=="`, `"Aw"`, "canonical base64", "base64 without padding (10.3.4)")
	v("proof-stray-bits", `"Aw=="`, `"Ax=="`, "not canonical", "base64 with stray bits (10.3.4)")
	v("proof-url", `"Aw=="`, `"-w=="`, "canonical base64", "base64 of the other alphabet (10.3.4)")
	v("backslash", `"show"`, `"sho\u0077"`, "without backslash", "an escape (10.1.2)")
	v("not-ascii", `"show"`, `"shöw"`, "only printable ASCII", "a byte above 0x7e (10.1.2)")
	v("two-lines", `,"seat"`, ",\n\"seat\"", "one line of text", "two lines of text (10.1)")
	v("tab", `,"seat"`, ",\t\"seat\"", "only printable ASCII", "a tab (10.1.2)")
	v("format", `message/v1`, `message/v2`, "does not begin with", "another version (10.5)")
	v("format-late", `{"pakli":"message/v1",`, `{`, "does not begin with", "no format")
}

// bodyValues are no values of canonical JSON, wherever they stand in a body.
var bodyValues = []struct{ name, text, err, comment string }{
	{"space-before-colon", `{"a" :1}`, `want ":"`, "white space in a move (10.3.2)"},
	{"number-zero", `01`, "want a number", "a leading zero in a body (10.3.3)"},
	{"number-minus-zero", `-0`, "want a number", "minus zero in a body (10.3.3)"},
	{"number-fraction", `1.5`, "not canonical", "a fraction in a body (10.3.3)"},
	{"number-whole-fraction", `1.0`, "not canonical", "a whole number with a fraction in a body (10.3.3)"},
	{"number-exponent", `1e5`, "not canonical", "an exponent in a body (10.3.3)"},
	{"number-plus", `+1`, "want a value", "a plus sign in a body (10.3.3)"},
	{"number-minus", `-`, "want a number", "a sign without digits in a body (10.3.3)"},
	{"number-large", `9007199254740992`, "want a number", "2^53 in a body (10.3.3)"},
	{"number-small", `-9007199254740992`, "want a number", "-2^53 in a body (10.3.3)"},
	{"number-long", `1` + strings.Repeat("0", 400), "want a number", "10^400 in a body (10.3.3)"},
	{"value-null", `null`, "want a value", "null in a body (10.3.7)"},
	{"value-null-listed", `[null]`, "want a value", "null in a list in a body (10.3.7)"},
	{"value-none", ``, "want a value", "a field without a value (10.3.7)"},
	{"value-word", `True`, "want a value", "no word of JSON (10.3.7)"},
	{"value-two", `1 1`, "not canonical", "two values of one field (10.3.7)"},
	{"name-bare", `{a:1}`, "not canonical", "a field name without quotation marks (10.3.7)"},
	{"name-number", `{1:1}`, "not canonical", "a number as a field name (10.3.7)"},
	{"list-comma", `[1,]`, "want a value", "a comma behind the last of a list (10.3.7)"},
	{"list-first-comma", `[,1]`, "want a value", "a comma before the first of a list (10.3.7)"},
	{"object-comma", `{"a":1,}`, "not canonical", "a comma behind the last field (10.3.7)"},
	{"closed-otherwise", `[1}`, "not canonical", "a list that a brace ends (10.3.7)"},
	{"deep-lists", strings.Repeat("[", 15) + strings.Repeat("]", 15), "no more than 16", "17 objects and lists one in another (10.3.8)"},
	{"deep-objects", strings.Repeat(`{"a":`, 15) + "1" + strings.Repeat("}", 15), "no more than 16", "17 objects one in another (10.3.8)"},
}

// bodies are those of which the form says nothing: they parse, whatever a table
// makes of them when they are due.
func bodies(k *keys) []vector {
	list := []vector{}
	for _, b := range []struct{ name, body, comment string }{
		{"empty", `{}`, "no field"},
		{"fields", `{"":"","zzz":true,"AAA":false,"a b":[[],{}]}`, "any fields, in any order (10.3.9)"},
		{"twice", `{"tokens":[],"tokens":[]}`, "a field twice (10.3.9)"},
		{"numbers", `{"n":[0,-1,9007199254740991,-9007199254740991]}`, "the largest and the smallest number (10.3.3)"},
		{"string", `{"s":" !#$%&'()*+,-./:;<=>?@[]^_{|}~` + "`" + `"}`, "marks in a string, brackets and spaces among them (10.1.2)"},
		{"deep", `{"a":` + strings.Repeat("[", 14) + strings.Repeat("]", 14) + `}`, "16 objects and lists one in another (10.3.8)"},
		{"base64", `{"tokens":["AR==","A"]}`, "strings that are no base64 (10.6)"},
		{"values-many", `{"tokens":["AQI="` + strings.Repeat(`,"AQI="`, 256) + `]}`, "257 values (10.6)"},
		{"move-long", `{"move":{"a":"` + strings.Repeat("a", 1_017) + `"},"tokens":[]}`, "a move of 1,025 bytes (10.6)"},
	} {
		text := strings.Replace(message, `{"tokens":["AQI="]}`, b.body, 1)
		list = append(list, vector{"body-" + b.name, "success", "", b.comment, k.signed(2, text)})
	}
	return list
}

func genesisVectors(k *keys, v changed) {
	v("game-empty", `"whist/v1"`, `""`, "name of the game", "no game (10.4)")
	v("game-long", `"whist/v1"`, `"`+strings.Repeat("w", 65)+`"`, "name of the game", "a name of 65 bytes (10.4)")
	v("suite-empty", `"ristretto255-bayergroth/v1"`, `""`, "name of the suite", "no suite (10.4)")
	v("options-null", `{"a":"1","b":""}`, `null`, "options must be an object", "no options (10.4)")
	v("options-order", `"a":"1","b":""`, `"b":"","a":"1"`, "not canonical", "options in another order (10.3.5)")
	v("options-twice", `"a":"1","b":""`, `"a":"1","a":"1"`, "not canonical", "an option twice (10.3.5)")
	v("options-number", `"a":"1"`, `"a":1`, "cannot unmarshal", "a number as an option (10.4)")
	v("option-name-empty", `"a":"1"`, `"":"1"`, "option", "an option without a name (10.4)")
	v("option-long", `"a":"1"`, `"a":"`+strings.Repeat("1", 65)+`"`, "option", "a value of 65 bytes (10.4)")
	v("options-many", `"a":"1",`, manyOptions(64), "at most 64 fields", "65 options (10.4)")
	v("deals-none", `"deals":2`, `"deals":0`, "0 deals", "no deals (10.4)")
	v("deals-many", `"deals":2`, `"deals":1001`, "1001 deals", "too many deals (10.4)")
	v("fouls", `"refuse"`, `"ignore"`, "fouls:", "another way with fouls (10.4)")
	v("clock-key", `"key":""`, `"key":"x"`, "without clocks", "a clock's key (10.7)")
	v("clock-move", `"move":0`, `"move":60`, "without clocks", "a clock (10.7)")
	v("organiser", k.vkeys[0], "key-0", "organiser:", "no key (10.4)")
	v("seats-one", `,"`+k.vkeys[2]+`","`+k.vkeys[3]+`"`, ``, "1 seats", "one seat (10.4)")
	v("seats-null", `["`+k.vkeys[1]+`","`+k.vkeys[2]+`","`+k.vkeys[3]+`"]`, `null`, "0 seats", "no seats (10.4)")
	v("seats-many", `"`+k.vkeys[1]+`",`, strings.Repeat(`"`+k.vkeys[1]+`",`, 15), "17 seats", "17 seats (10.4)")
	v("seat-name-twice", k.vkeys[2], renamed(k, 2, "key-1"), "are both named", "one name for two seats (10.4)")
	v("seat-key-twice", k.vkeys[2], renamed(k, 1, "key-2"), "have the same key", "one key for two seats (10.4)")
	v("seat-hash", k.vkeys[2], wrongHash(k.vkeys[2]), "verifier key", "a wrong key hash (10.4)")
	v("seat-upper", k.vkeys[2], upperHash(k.vkeys[2]), "verifier key", "an upper-case key hash (10.4)")
	v("seat-algorithm", k.vkeys[2], otherAlgorithm(k, 2), "unknown verifier algorithm", "another algorithm (10.4)")
	v("seat-name", k.vkeys[2], renamed(k, 2, "key*2"), "only letters", "a name with a star (10.1.3)")
	v("seat-small-order", k.vkeys[2], keyOf("key-2", [32]byte{1}), "small order", "the neutral element as a key (10.4)")
	v("seat-other-encoding", k.vkeys[2], keyOf("key-2", otherOne()), "no canonical point", "y = p + 1 for y = 1 (10.4)")
	v("seat-no-point", k.vkeys[2], keyOf("key-2", [32]byte{2}), "no canonical point", "no point of the curve (10.4)")
	v("nonce-short", `"AAECAwQFBgcICQoLDA0ODw=="`, `"AAECAwQFBgcICQoLDA0O"`, "nonce has 15 bytes", "a nonce of 15 bytes (10.4)")
	v("field-added", `"deals":2`, `"deals":2,"more":1`, "unknown field", "a field too many (10.3.1)")
}

func manyOptions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%02d":"",`, i)
	}
	return b.String()
}

// material is the public key in a verifier key.
func (k *keys) material(i int) []byte {
	b, err := base64.StdEncoding.DecodeString(strings.SplitN(k.vkeys[i], "+", 3)[2])
	if err != nil {
		panic(err)
	}
	return b[1:]
}

// renamed is the key of i under another name.
func renamed(k *keys, i int, name string) string {
	vkey, err := note.NewEd25519VerifierKey(name, k.material(i))
	if err != nil {
		panic(err)
	}
	return vkey
}

// keyOf is a verifier key of any 32 bytes.
func keyOf(name string, material [32]byte) string {
	vkey, err := note.NewEd25519VerifierKey(name, material[:])
	if err != nil {
		panic(err)
	}
	return vkey
}

// otherOne is p + 1 = 2^255 - 18, the other encoding of y = 1.
func otherOne() [32]byte {
	b := [32]byte(bytes.Repeat([]byte{0xff}, 32))
	b[0], b[31] = 0xee, 0x7f
	return b
}

// otherAlgorithm is the key of i as one of algorithm 2.
func otherAlgorithm(k *keys, i int) string {
	return typed(k.signers[i].Name(), 2, k.material(i))
}

// typed is a verifier key of some algorithm.
func typed(name string, algorithm byte, key []byte) string {
	material := append([]byte{algorithm}, key...)
	h := sha256.Sum256(append([]byte(name+"\n"), material...))
	return fmt.Sprintf("%s+%x+%s", name, h[:4], base64.StdEncoding.EncodeToString(material))
}

func wrongHash(vkey string) string {
	parts := strings.SplitN(vkey, "+", 3)
	digit := "0"
	if parts[1][0] == '0' {
		digit = "1"
	}
	return parts[0] + "+" + digit + parts[1][1:] + "+" + parts[2]
}

func upperHash(vkey string) string {
	parts := strings.SplitN(vkey, "+", 3)
	return parts[0] + "+" + strings.ToUpper(parts[1]) + "+" + parts[2]
}

func noteVectors(k *keys, add func(name, err, comment string, entry []byte)) {
	good := k.signed(2, message)
	signature := good[bytes.Index(good, []byte("— ")):]
	text := []byte(message + "\n")
	add("note-empty", "not a signed note", "nothing", nil)
	add("note-unsigned", "not a signed note", "text alone (10.1)", text)
	add("note-no-blank-line", "not a signed note", "no empty line (10.1)", bytes.Join([][]byte{text, signature}, nil))
	add("note-no-newline", "not a signed note", "no line feed at the end (10.1)", good[:len(good)-1])
	add("note-extra-newline", "signature", "a line feed too many (10.1)", append(bytes.Clone(good), '\n'))
	add("note-two-signatures", "one signature", "two signatures (10.1)", append(bytes.Clone(good), signature...))
	add("note-crlf", "not a signed note", "CR LF (10.1)", bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")))
	add("note-hyphen", "em dash", "a hyphen for the dash (10.1)", bytes.Replace(good, []byte("— "), []byte("- "), 1))
	add("note-no-name", "name", "no name (10.1.3)", bytes.Replace(good, []byte("— key-2 "), []byte("—  "), 1))
	add("note-name-long", "name", "a name of 33 characters (10.1.3)", bytes.Replace(good, []byte("— key-2 "), []byte("— "+strings.Repeat("k", 33)+" "), 1))
	add("note-name-colon", "only letters", "a name with a colon (10.1.3)", bytes.Replace(good, []byte("— key-2 "), []byte("— key:2 "), 1))
	add("note-signature-short", "canonical base64 of 68 bytes", "a signature of 65 bytes (10.1.4)", append(bytes.Clone(good[:len(good)-6]), '\n'))
	add("note-no-signature", "no signature", "a name alone (10.1)", append(append(bytes.Clone(text), '\n'), []byte("— key-2\n")...))
	add("note-long", "at most 65535", "over the limit of an entry (10.1.1)", append(bytes.Repeat([]byte("x"), 65_536), good...))
}

// signatureVectors parse, and are not signed as they should be.
func signatureVectors(k *keys) []vector {
	good := k.signed(2, message)
	altered := bytes.Replace(good, []byte(`"AQI="`), []byte(`"AQM="`), 1)
	moved := k.signed(3, message)
	named := bytes.Replace(moved, []byte("— key-3 "), []byte("— key-2 "), 1)
	return []vector{
		{"signature-altered-text", "signature", "signature", "text altered after signing", altered},
		{"signature-other-seat", "signature", "signature", "signed by another seat", moved},
		{"signature-other-name", "signature", "signature", "signed by another key under the seat's name", named},
		{"signature-large-s", "signature", "signature", "an S that is ℓ too large (10.1.5)", resigned(good, largeS)},
		{"signature-cofactor", "signature", "signature", "an R with a part of order 2: it holds if both sides are multiplied by the cofactor (10.1.5)", resigned(good, k.withTorsion)},
	}
}

// resigned is an entry with another signature, made of its text and of its R || S.
func resigned(entry []byte, change func(signed, signature []byte) []byte) []byte {
	text, line, _ := bytes.Cut(bytes.TrimSuffix(entry, []byte("\n")), []byte("\n\n"))
	at := bytes.LastIndexByte(line, ' ') + 1
	signature, err := base64.StdEncoding.DecodeString(string(line[at:]))
	if err != nil {
		panic(err)
	}
	signature = append(signature[:4:4], change(append(text[:len(text):len(text)], '\n'), signature[4:])...)
	return fmt.Appendf(nil, "%s\n\n%s%s\n", text, line[:at], base64.StdEncoding.EncodeToString(signature))
}

// largeS adds ℓ to S.
func largeS(_, signature []byte) []byte {
	ell, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	s := slices.Clone(signature[32:])
	slices.Reverse(s)
	s = ell.Add(ell, new(big.Int).SetBytes(s)).FillBytes(make([]byte, 32))
	slices.Reverse(s)
	return append(signature[:32:32], s...)
}

// withTorsion signs as key 2 with R = r·B + (0, −1).
func (k *keys) withTorsion(signed, _ []byte) []byte {
	h := sha512.Sum512(k.seeds[2])
	a, r := need(new(edwards25519.Scalar).SetBytesWithClamping(h[:32])), need(new(edwards25519.Scalar).SetUniformBytes(h[:]))
	order2 := need(new(edwards25519.Point).SetBytes(append([]byte{0xec}, append(bytes.Repeat([]byte{0xff}, 30), 0x7f)...)))
	R := new(edwards25519.Point).Add(new(edwards25519.Point).ScalarBaseMult(r), order2).Bytes()
	digest := sha512.Sum512(slices.Concat(R, k.material(2), signed))
	s := new(edwards25519.Scalar).MultiplyAdd(need(new(edwards25519.Scalar).SetUniformBytes(digest[:])), a, r)
	return append(R, s.Bytes()...)
}

func need[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Each vector is refused, or accepted, for its reason; the file is what other
// implementations read, and is compared with what is made here.
func TestVectors(t *testing.T) {
	k, list := newKeys(), vectors()
	slices.SortFunc(list, func(a, b vector) int { return strings.Compare(a.name, b.name) })
	var made []byte
	for _, v := range list {
		made = append(made, v.line()...)
		t.Run(v.name, func(t *testing.T) {
			got, reason := outcome(k, v.entry)
			testmust.Holdf(t, got == v.expect && reason == nil == (v.err == "") && (reason == nil || strings.Contains(reason.Error(), v.err)),
				"%s: %s (%v), want %s (%q)", v.comment, got, reason, v.expect, v.err)
		})
	}
	testmust.Same(t, filepath.Join("..", "..", "docs", "spec", "vectors", "entry.jsonl"), made)
}

func outcome(k *keys, entry []byte) (string, error) {
	e, err := bulletin.Parse(entry)
	if err != nil {
		return "malformed", err
	}
	if err := e.Verify(k.verifier(e)); err != nil {
		return "signature", err
	}
	return "success", nil
}
