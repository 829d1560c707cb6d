// Package scene is how games are shown: what lies on a table, what a seat is asked, what happened and
// what was proved, as data without words and pictures. A game's [Presentation] makes the data. A
// terminal, a report and a page draw it, with the cards of picture.go, and a [Language] puts its notes
// into words. [Generic] serves a game that has no presentation.
//
// No verdict rests on this package. A move that a presentation lets through is checked by the rules and
// rehearsed by its seat like any other.
package scene
