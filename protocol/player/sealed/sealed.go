// Package sealed encrypts the record of a seat with a passphrase, by age with scrypt
// (age-encryption.org/v1). Seat files of a terminal and copies from a page are such files. Each has
// the work factor that its machine can bear, and either reads the other's.
package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// Work factors of scrypt, logarithms of the number of repetitions. Memory doubles with each step.
const (
	Machine = 18 // 256 MB
	Page    = 16 // 64 MB
	most    = 22 // that a machine accepts
)

// header begins every file that age has encrypted.
const header = "age-encryption.org/v1\n"

// Reasons why a file could not be unsealed.
var (
	ErrPassphrase = errors.New("the passphrase is not the one of this seat file")
	ErrWork       = errors.New("it wants more memory than there is here: read it with pakli at a terminal")
)

// Is reports whether a file is sealed.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte(header)) }

// Seal encrypts a record.
func Seal(record []byte, passphrase string, work int) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	recipient.SetWorkFactor(work)
	var out bytes.Buffer
	w, err := age.Encrypt(&out, recipient)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(record)
	err = errors.Join(err, w.Close()) // writes the last chunk to out
	return out.Bytes(), err
}

// Unseal decrypts a file on a machine.
func Unseal(file []byte, passphrase string) ([]byte, error) {
	return unsealWithin(file, passphrase, most)
}

// UnsealInPage decrypts a file in a browser, whose memory is small.
func UnsealInPage(file []byte, passphrase string) ([]byte, error) {
	return unsealWithin(file, passphrase, Machine)
}

func unsealWithin(file []byte, passphrase string, most int) ([]byte, error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	identity.SetMaxWorkFactor(most)
	r, err := age.Decrypt(bytes.NewReader(file), identity)
	switch {
	case errors.Is(err, age.ErrIncorrectIdentity):
		return nil, ErrPassphrase
	case err != nil && workOf(file) > most:
		return nil, fmt.Errorf("%w (scrypt with 2^%d)", ErrWork, workOf(file))
	case err != nil:
		return nil, err
	}
	return io.ReadAll(r)
}

// workOf returns the work factor in the second line of a file, "-> scrypt SALT WORK", or 0 if there
// is none.
func workOf(file []byte) (work int) {
	var salt string
	fmt.Sscanf(string(file[:min(len(file), 200)]), header+"-> scrypt %s %d", &salt, &work) // 0: it names none
	return work
}
