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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

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
		s := testmust.Need(note.NewSigner(skey))
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
	return testmust.Need(note.NewVerifier(vkey))
}

func (k *keys) genesis() string {
	return `{"pakli":"table/v1","game":"whist/v1","suite":"ristretto255-bayergroth/v1","options":{"a":"1","b":""},"deals":2,"fouls":"refuse",` +
		`"clock":{"key":"","move":0,"bank":0},"organiser":"` + k.vkeys[0] + `","seats":["` + k.vkeys[1] + `","` + k.vkeys[2] + `","` + k.vkeys[3] + `"],"nonce":"AAECAwQFBgcICQoLDA0ODw=="}`
}

const message = `{"pakli":"message/v1","table":"00000000000000000000000000000000000000000000000000000000000000aa",` +
	`"parent":"00000000000000000000000000000000000000000000000000000000000000bb","seat":1,"kind":"show","body":{"tokens":["AQI="]},"proofs":["Aw=="]}`

// signed signs any text by key i.
func (k *keys) signed(i int, text string) []byte {
	return testmust.Need(note.Sign(&note.Note{Text: text + "\n"}, k.signers[i]))
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
	seat := func(name, key, err, comment string) {
		add("genesis-seat-"+name, err, comment, k.change(0, k.genesis(), k.vkeys[2], key))
	}
	seat("small-order", keyOf("key-2", [32]byte{1}), "small order", "the neutral element as a key (10.4)")
	seat("other-encoding", keyOf("key-2", otherOne()), "no canonical point", "y = p + 1 for y = 1 (10.4)")
	seat("no-point", keyOf("key-2", [32]byte{2}), "no canonical point", "no point of the curve (10.4)")
	list = append(list, bodies(k)...)
	blobVectors(k, &list)
	noteVectors(k, add)
	list = append(list, k.endings()...)
	list = append(list, k.events()...)
	good := map[string]string{}
	for _, v := range list {
		good[v.name], _, _ = strings.Cut(string(v.entry), "\n\n")
	}
	return slices.Concat(list, k.changes(good), signatureVectors(k))
}

// blobVectors are about proofs that are too long for an entry.
func blobVectors(k *keys, list *[]vector) {
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
	v := func(name, proof, err, comment string) {
		add("message-"+name, "malformed", err, comment, k.change(2, message, `"Aw=="`, proof))
	}
	v("blob-inline", `"`+base64.StdEncoding.EncodeToString(blob)+`"`, "or be a blob", "a long proof in the entry (10.8)")
	v("blob-small", strings.Replace(name, "16385", "16384", 1), "blob of 16384 bytes", "a blob that fits an entry (10.8)")
	v("blob-large", strings.Replace(name, "16385", "16777217", 1), "blob of 16777217 bytes", "a blob over the limit (10.8)")
	v("blobs-large", strings.Replace(name, "16385", "16777216", 1)+","+name, "blobs of 16793601 bytes", "blobs over the limit together (10.8)")
	v("blob-zero", strings.Replace(name, "16385", "016385", 1), "blob of 016385 bytes", "a leading zero (10.8)")
	v("blob-plus", strings.Replace(name, "16385", "+16385", 1), "blob of +16385 bytes", "a sign (10.8)")
	v("blob-no-size", strings.Replace(name, ":16385", "", 1), "blob of ", "no size (10.8)")
	v("blob-upper", strings.ToUpper(name), "canonical base64", "an upper-case name (10.8)")
	v("blob-no-hash", `"sha256:00:16385"`, "is not a hash", "a hash of two digits (10.8)")
	v("blob-space", strings.Replace(name, ":16385", ": 16385", 1), "blob of  16385 bytes", "white space (10.8)")
}

// change is an entry in which another text stands for one of a good one, signed by key i.
func (k *keys) change(i int, text, old, new string) []byte {
	if strings.Count(text, old) != 1 {
		panic(fmt.Sprintf("%q is there %d times", old, strings.Count(text, old)))
	}
	return k.signed(i, strings.Replace(text, old, new, 1))
}

// changes are the vectors of testdata/changes.txt. A section begins with the prefix of their names, the key that signs, and
// the good entry; a line has a name, the text that is replaced, by what, the reason and what is wrong, with tabs between.
func (k *keys) changes(good map[string]string) (list []vector) {
	words := template.New("").Delims("‹", "›").Funcs(template.FuncMap{
		"key": func(i int) string { return k.vkeys[i] }, "keeper": k.keeper,
		"zeros": func() string { return zeros }, "eventA": func() string { return eventA }, "entryD": func() string { return entryD },
		"renamed": func(i int, name string) string { return renamed(k, i, name) }, "otherAlgorithm": func(i int) string { return otherAlgorithm(k, i) },
		"wrongHash": wrongHash, "upperHash": upperHash, "manyOptions": manyOptions, "repeat": strings.Repeat, "unseen": func(r rune) string { return strings.ToUpper(url.QueryEscape(string(r))) },
	})
	spelt := func(text string) string {
		var b strings.Builder
		if err := template.Must(template.Must(words.Clone()).Parse(text)).Execute(&b, nil); err != nil {
			panic(err)
		}
		return b.String()
	}
	var prefix, base string
	var signer int
	for line := range strings.Lines(string(testmust.Need(os.ReadFile("testdata/changes.txt")))) {
		if testmust.ErrorOf(fmt.Sscanf(line, "== %s %d %s", &prefix, &signer, &base)) == nil {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, vector{prefix + c[0], "malformed", c[3], c[4], k.change(signer, good[base], spelt(c[1]), spelt(c[2]))})
	}
	return list
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

func manyOptions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%02d":"",`, i)
	}
	return b.String()
}

// material is the public key in a verifier key.
func (k *keys) material(i int) []byte {
	b := testmust.Need(base64.StdEncoding.DecodeString(strings.SplitN(k.vkeys[i], "+", 3)[2]))
	return b[1:]
}

// renamed is the key of i under another name.
func renamed(k *keys, i int, name string) string {
	return testmust.Need(note.NewEd25519VerifierKey(name, k.material(i)))
}

// keyOf is a verifier key of any 32 bytes.
func keyOf(name string, material [32]byte) string {
	return testmust.Need(note.NewEd25519VerifierKey(name, material[:]))
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
	signature := testmust.Need(base64.StdEncoding.DecodeString(string(line[at:])))
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
	a, r := testmust.Need(new(edwards25519.Scalar).SetBytesWithClamping(h[:32])), testmust.Need(new(edwards25519.Scalar).SetUniformBytes(h[:]))
	order2 := testmust.Need(new(edwards25519.Point).SetBytes(append([]byte{0xec}, append(bytes.Repeat([]byte{0xff}, 30), 0x7f)...)))
	R := new(edwards25519.Point).Add(new(edwards25519.Point).ScalarBaseMult(r), order2).Bytes()
	digest := sha512.Sum512(slices.Concat(R, k.material(2), signed))
	s := new(edwards25519.Scalar).MultiplyAdd(testmust.Need(new(edwards25519.Scalar).SetUniformBytes(digest[:])), a, r)
	return append(R, s.Bytes()...)
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
