module github.com/pakli/pakli/internal/peers

go 1.26.0

require (
	github.com/pakli/pakli v0.0.0
	go.dedis.ch/kyber/v4 v4.0.2
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/gtank/ristretto255 v0.2.0 // indirect
	github.com/oasisprotocol/curve25519-voi v0.0.0-20230904125328-1f23a7beb09a // indirect
	go.dedis.ch/fixbuf v1.0.3 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/pakli/pakli => ../..
