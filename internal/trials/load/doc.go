// Package load has programs that put load on a server and measure it:
//
//	go run -C internal/trials/load ./fill DIR    make a large log
//	go run -C internal/trials/load ./start DIR   start a server on it
//	go run -C internal/trials/load ./abuse       play honestly beside addresses that do their worst
//
// docs/benchmarks.md has their figures. pakli bench log measures what clients of a log see.
package load
