// Package trials is a module of its own, so that users of pakli do not depend on what it needs: other
// people's logs and libraries, drivers of browsers, file systems that lie. Its folders break the
// machine under a log, put load on servers, kill the programs of an event and of a cluster, and
// compare pakli with others. docs/reliability.md and docs/benchmarks.md have the results.
package trials
