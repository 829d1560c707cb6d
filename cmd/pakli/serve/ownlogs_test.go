package serve_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"golang.org/x/mod/sumdb/note"
)

func logKey(t testing.TB, name string) *tlog.SignerKey {
	t.Helper()
	skey, _, err := tlog.GenerateKey(rand.Reader, name, tlog.Ed25519)
	testmust.Do(t, err)
	return testmust.Have(tlog.ParseSignerKey(skey, nil))(t)
}

func someLogs(t testing.TB) (list []serve.OwnLog, operator *tlog.SignerKey) {
	t.Helper()
	for i := range 3 {
		name := fmt.Sprintf("cards.example/log%d", i)
		k := logKey(t, name)
		l := serve.OwnLog{Key: k.Verifier(), URL: "https://" + name}
		if i == 0 {
			c := testmust.Have(tlog.SignCheckpoint(0, tlog.EmptyRoot(), k))(t)
			l.Last = &c
		}
		list = append(list, l)
	}
	return list, logKey(t, "cards.example")
}

// A list of logs comes from somebody else, is read differently than it was written, or closes a log
// with a checkpoint of another.
func TestLogs(t *testing.T) {
	list, operator := someLogs(t)
	signed := testmust.Have(serve.SignLogs(list, operator))(t)
	got, err := serve.OpenLogs(signed, operator.Verifier())
	testmust.Requiref(t, err == nil && len(got) == 3, "%v, %v", got, err)
	for i, l := range got {
		testmust.Holdf(t, l.Key.String() == list[i].Key.String() && l.URL == list[i].URL && (l.Last != nil) == (i == 0), "log %d is %+v", i, l)
	}
	_, err = serve.OpenLogs(signed, list[0].Key)
	testmust.FailBy(t, err, tlog.ErrUnsigned, "with the key of a log")
	other := testmust.Have(tlog.SignCheckpoint(0, tlog.EmptyRoot(), logKey(t, list[1].Key.Name()+"x")))(t)
	text := string(signed[:bytes.Index(signed, []byte("\n\n"))+1])
	for name, bad := range map[string]string{
		"nothing":             "pakli logs v1\n",
		"another format":      strings.Replace(text, "v1", "v2", 1),
		"twice":               text + "log " + list[1].Key.String() + " https://elsewhere.example\n",
		"no URL":              strings.Replace(text, " https://"+list[1].Key.Name(), "", 1),
		"another scheme":      strings.Replace(text, "https:", "ftp:", 1),
		"two spaces":          strings.Replace(text, " https:", "  https:", 1),
		"an empty line":       text + "\n",
		"closed before a log": strings.Replace(text, "log "+list[0].Key.String()+" "+list[0].URL+"\n", "", 1),
		"closed by another":   text[:len(text)-1] + "\nclosed " + base64.StdEncoding.EncodeToString(other.Note) + "\n",
	} {
		forged := testmust.Have(note.Sign(&note.Note{Text: strings.TrimSuffix(bad, "\n") + "\n"}, operator))(t)
		if name == "an empty line" || name == "nothing" {
			forged = testmust.Have(note.Sign(&note.Note{Text: bad}, operator))(t)
		}
		testmust.FailBy(t, testmust.ErrorOf(serve.OpenLogs(forged, operator.Verifier())), tlog.ErrMalformed, name)
	}
	var many []serve.OwnLog
	for i := range 65 {
		many = append(many, serve.OwnLog{Key: logKey(t, fmt.Sprintf("log%d.example", i)).Verifier(), URL: "https://cards.example"})
	}
	testmust.Fail(t, testmust.ErrorOf(serve.SignLogs(many, operator)), "65 logs were signed")
	testmust.Have(serve.SignLogs(many[:64], operator))(t, "64 logs")
}

// A list that is read differs when it is written again.
func FuzzLogs(f *testing.F) {
	list, operator := someLogs(f)
	signed := testmust.Have(serve.SignLogs(list, operator))(f)
	f.Add(string(signed[:bytes.Index(signed, []byte("\n\n"))+1]))
	f.Fuzz(func(t *testing.T, text string) {
		signed, err := note.Sign(&note.Note{Text: text}, operator)
		if err != nil {
			return
		}
		list, err := serve.OpenLogs(signed, operator.Verifier())
		if err != nil {
			return
		}
		again, err := serve.SignLogs(list, operator)
		testmust.Holdf(t, err == nil && bytes.Equal(again, signed), "%q is %q when it is written again: %v", signed, again, err)
	})
}
