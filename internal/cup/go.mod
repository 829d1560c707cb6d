module github.com/pakli/pakli/internal/cup

go 1.26.0

require (
	github.com/pakli/pakli v0.0.0
	github.com/pakli/pakli/internal/load v0.0.0
	golang.org/x/mod v0.42.0
)

require (
	filippo.io/bigmod v0.1.0 // indirect
	filippo.io/edwards25519 v1.2.0 // indirect
	filippo.io/mldsa v1.0.0 // indirect
	github.com/gtank/ristretto255 v0.2.0 // indirect
	github.com/oasisprotocol/curve25519-voi v0.0.0-20230904125328-1f23a7beb09a // indirect
	github.com/transparency-dev/merkle v0.0.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/pakli/pakli => ../..

replace github.com/pakli/pakli/internal/load => ../load
