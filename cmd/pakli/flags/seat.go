package flags

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
)

// Passphrase has the flag for the passphrase of a seat file.
type Passphrase struct{ file string }

// PassphraseVariable is the variable with the passphrase itself. It is used if no file is named.
const PassphraseVariable = "PAKLI_PASSPHRASE"

// Variables are the environment variables of commands that are no settings of a server.
var Variables = []string{PassphraseVariable, "PAKLI_SERVER", "PAKLI_LOG", "PAKLI_SEAT"}

// AddFlags declares the source of the passphrase.
func (p *Passphrase) AddFlags(f *command.Flags) {
	f.StringVar(&p.file, "passphrase-file", "", "`file` with the passphrase of the seat file, readable by you alone (default: the passphrase itself is taken from $"+PassphraseVariable+", if that is set)")
}

// ReadPhrase returns the passphrase, or "" if there is none.
func (p *Passphrase) ReadPhrase() (string, error) {
	if p.file == "" {
		return os.Getenv(PassphraseVariable), nil
	}
	info, err := os.Stat(p.file)
	if err != nil {
		return "", fmt.Errorf("--passphrase-file: %w", err)
	}
	if durable.OpenToOthers(info) {
		return "", fmt.Errorf("--passphrase-file %s: others can read it (mode %04o); chmod 600 it, and change the passphrase if somebody may have", p.file, info.Mode().Perm())
	}
	b, err := os.ReadFile(p.file)
	if err != nil {
		return "", fmt.Errorf("--passphrase-file: %w", err)
	}
	phrase := strings.TrimRight(string(b), "\r\n")
	if phrase == "" {
		return "", fmt.Errorf("--passphrase-file %s: it is empty", p.file)
	}
	return phrase, nil
}

// SeatKey reads a --seat of table create: a verifier key, or a file with one. Every key has two plus
// signs, which no usual file name has.
func SeatKey(arg string) (string, error) {
	if strings.HasPrefix(arg, "PRIVATE+KEY+") {
		return "", errors.New("this is a private key: give the verifier key, which begins with the player's name, and make a new seat if others have seen it")
	}
	if strings.Count(arg, "+") >= 2 {
		return arg, nil
	}
	b, err := os.ReadFile(arg)
	text := strings.TrimSpace(string(b))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("there is no such file: give a player's verifier key, or the .pub file with it")
	case err != nil:
		return "", err
	case isSeatFile(b):
		return "", fmt.Errorf("this is a secret seat file: give its public half, %s.pub", arg)
	}
	if _, err := note.NewVerifier(text); err != nil {
		return "", errors.New("there is no verifier key in this file: give the .pub file that pakli seat has made")
	}
	return text, nil
}

// isSeatFile reports whether a file begins like a seat file, encrypted or not.
func isSeatFile(b []byte) bool {
	return bytes.HasPrefix(b, []byte("age-encryption.org/")) || bytes.HasPrefix(b, []byte(`{"pakli":"seat/`))
}

// Seat is a flag for a seat file with its passphrase.
type Seat struct {
	flag, File string
	Passphrase
}

// SeatOf declares a flag for a seat file.
func SeatOf(f *command.Flags, name, usual, usage string) *Seat {
	s := &Seat{flag: "--" + name}
	s.AddFlags(f)
	f.StringVar(&s.File, name, usual, usage)
	if name == "seat" {
		f.Variable(name, "PAKLI_SEAT")
	}
	return s
}

// Open opens the seat file.
func (s *Seat) Open() (*player.Identity, error) { return s.OpenSeat(s.flag, s.File) }

// OpenShared opens the seat file for signing, even while another program plays with it.
func (s *Seat) OpenShared() (*player.Identity, error) {
	return s.openWith(seatfile.OpenShared, s.flag, s.File)
}

// OpenSeat opens the seat file that a flag names.
func (p *Passphrase) OpenSeat(flag, path string) (*player.Identity, error) {
	return p.openWith(seatfile.Open, flag, path)
}

func (p *Passphrase) openWith(open func(path, passphrase string) (*player.Identity, error), flag, path string) (*player.Identity, error) {
	phrase, err := p.ReadPhrase()
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if path == "" {
		return nil, command.WrongUsage("%s is missing: it names the seat file, which pakli seat makes", flag)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, command.WrongUsage("%s %s: there is no such file; pakli seat makes one", flag, path)
	}
	if _, bad := note.NewVerifier(strings.TrimSpace(string(b))); bad == nil {
		return nil, command.WrongUsage("%s %s: this is the public half of a seat, for whoever creates the table; name the secret file beside it", flag, path)
	}
	return open(path, phrase)
}

// OpenOrCreate opens the organiser's seat file, or makes it with its public half beside it.
func (s *Seat) OpenOrCreate(e command.Env) (*player.Identity, error) {
	if _, err := os.Stat(s.File); s.File == "" || !errors.Is(err, fs.ErrNotExist) {
		return s.Open()
	}
	phrase, err := s.ReadPhrase()
	if err != nil {
		return nil, err
	}
	id, err := seatfile.Create(s.File, "organiser", phrase)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.File+".pub", []byte(id.VerifierKey()+"\n"), 0o644); err != nil {
		return nil, errors.Join(err, id.Close())
	}
	fmt.Fprintf(e.Err, "made %s, which decides in your place: keep it secret, and a copy of it elsewhere; its public half is %s.pub\n", s.File, s.File)
	return id, nil
}

// OpenToTry is OpenOrCreate for a command that posts nothing. If there is no file, it makes a seat
// that is stored nowhere.
func (s *Seat) OpenToTry() (signer note.Signer, key string, err error) {
	if _, err := os.Stat(s.File); !errors.Is(err, fs.ErrNotExist) {
		id, err := s.OpenShared()
		if err != nil {
			return nil, "", err
		}
		return id.Signer(), id.VerifierKey(), id.Close()
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, "organiser")
	if err != nil {
		return nil, "", err
	}
	signer, err = note.NewSigner(skey)
	return signer, vkey, err
}

// DryRun declares --dry-run.
func DryRun(f *command.Flags) *bool {
	return f.Bool("dry-run", false, "say what would be signed and what is wrong with it, and post nothing")
}

// OpenKey reads a private key and its verifier key from a file. If there is none, it makes the
// directory and a key with the name that newName returns.
func OpenKey(path string, a tlog.Algorithm, newName func() (string, error)) (skey, vkey string, err error) {
	if skey, vkey, err = ledger.ReadKeyFile(path); !errors.Is(err, fs.ErrNotExist) {
		return skey, vkey, err
	}
	name, err := newName()
	if err != nil {
		return "", "", err
	}
	if skey, vkey, err = tlog.GenerateKey(rand.Reader, name, a); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", "", err
	}
	return skey, vkey, durable.Replace(path, []byte(skey+"\n"+vkey+"\n"), 0o600)
}
