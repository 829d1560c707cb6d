// Package report puts a verdict into words, for players, juries and sceptics
// (docs/spec/81-reports.md): what is true of a table in plain language, every
// check with its number and outcome, and the trace of the game with the proof
// behind each move. As text and as JSON, and by package page as HTML; in English,
// German and Hungarian.
//
// Nothing of a verdict rests on this package. [BuildDocument] takes what package verifier
// found and the entries that it read, which a [Recording] kept, and replays them
// once more to tell what each of them did. If the two do not agree it says so
// and makes no report.
//
// The words of a verdict stand side by side in texts.go. What happened at a table
// and what a game's moves and claims are called is said by package scene and the game's
// own folder. Who writes a report gives its header, a [Provenance]: this package asks no clock. Every text from outside is shown as text and as nothing else.
package report
