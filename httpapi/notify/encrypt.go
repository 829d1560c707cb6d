package notify

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/durable"
)

// recordSize is the size of a message's only record (RFC 8188, 2).
const recordSize = 4096

// encrypt returns the body of a push message for a browser's key and secret (RFC 8291, 3.4; RFC 8188,
// 2). own and the salt of 16 bytes are for this message alone.
func encrypt(text, key, auth []byte, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	theirs, err := ecdh.P256().NewPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("the key of the subscription: %w", err)
	}
	shared, err := own.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	public := own.PublicKey().Bytes()
	derive := func(secret, salt []byte, info string, bytes int) []byte {
		out, wrong := hkdf.Key(sha256.New, secret, salt, info, bytes)
		err = errors.Join(err, wrong)
		return out
	}
	input := derive(shared, auth, "WebPush: info\x00"+string(key)+string(public), 32)
	block, wrong := aes.NewCipher(derive(input, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err := errors.Join(err, wrong); err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	head := append(binary.BigEndian.AppendUint32(slices.Clone(salt), recordSize), byte(len(public)))
	return seal.Seal(append(head, public...), derive(input, salt, "Content-Encoding: nonce\x00", 12), append(slices.Clone(text), 2), nil), err // 2 marks the last record
}

// messageKey draws the key of a message.
func messageKey(random io.Reader) (*ecdh.PrivateKey, error) {
	for {
		raw := make([]byte, 32)
		if _, err := io.ReadFull(random, raw); err != nil {
			return nil, err
		}
		if key, err := ecdh.P256().NewPrivateKey(raw); err == nil { // in the range 1 to order-1
			return key, nil
		}
	}
}

// ServerKey identifies this server to push services (RFC 8292).
type ServerKey struct{ key *ecdsa.PrivateKey }

// LoadKey reads the server's key, or makes it if there is no file.
func LoadKey(file string, random io.Reader) (ServerKey, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		made, err := messageKey(random)
		if err != nil {
			return ServerKey{}, err
		}
		text = []byte(base64.RawURLEncoding.EncodeToString(made.Bytes()) + "\n")
		if err := durable.Replace(file, text, 0o600); err != nil {
			return ServerKey{}, err
		}
	} else if err != nil {
		return ServerKey{}, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return ServerKey{}, fmt.Errorf("%s is no key: %w", file, err)
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return ServerKey{}, fmt.Errorf("%s is no key: %w", file, err)
	}
	return ServerKey{key}, nil
}

// Public returns the key that browsers need to subscribe.
func (k ServerKey) Public() string {
	public, _ := k.key.PublicKey.Bytes() // the key is valid
	return base64.RawURLEncoding.EncodeToString(public)
}

// tokenTime is the lifetime of a token, which may be a day at most (RFC 8292, 2).
const tokenTime = 12 * time.Hour

// authorization returns a header for an endpoint's push service with the sender and the contact of
// its operator (RFC 8292, 3).
func (k ServerKey) authorization(endpoint, contact string, now time.Time) (string, error) {
	at, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{at.Scheme + "://" + at.Host, now.Add(tokenTime).Unix(), contact})
	if err != nil {
		return "", err
	}
	token := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(nil, k.key, sum[:]) // deterministic (RFC 6979)
	if err != nil {
		return "", err
	}
	both := make([]byte, 64)
	r.FillBytes(both[:32])
	s.FillBytes(both[32:])
	return fmt.Sprintf("vapid t=%s.%s, k=%s", token, base64.RawURLEncoding.EncodeToString(both), k.Public()), nil
}
