// Package load is a module of its own with programs that put load on a server and
// measure it, so that they are not part of pakli:
//
//	go run -C internal/load ./fill DIR    make a large log
//	go run -C internal/load ./start DIR   start a server on it
//	go run -C internal/load ./abuse       play honestly beside addresses that do their worst
//
// docs/benchmarks.md has their figures. What clients of a log see is measured by
// pakli bench log.
package load
