// Package trials is a module of its own, so that nobody who uses pakli depends on what it needs: other people's logs and
// libraries, drivers of browsers, file systems that lie. Its folders break the machine under a log, put load on servers, kill
// the programs of an event and of a cluster, and compare pakli with others. docs/reliability.md and docs/benchmarks.md say what was seen.
package trials
