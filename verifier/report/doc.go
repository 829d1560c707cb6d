// Package report puts a verdict into words, for players, juries and sceptics
// (docs/spec/81-reports.md): what is true of a table in plain language, every check with its number
// and outcome, and the trace of the game with the proof behind each move. It writes text and JSON,
// and package page HTML, in English, German and Hungarian.
//
// No verdict rests on this package. [BuildDocument] takes the report of package verifier and the
// entries that it read, which a [Recording] kept, and replays them once more to tell what each of
// them did. If the two disagree, it returns an error and makes no document.
//
// texts.go has the words of a verdict. Package scene and each game's own folder have the words for
// what happens at a table and for a game's moves and claims. The caller gives the header, a
// [Provenance]: this package reads no clock. Every text from outside is shown only as text.
package report
