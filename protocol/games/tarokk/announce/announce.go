// Package announce is the phase between exchange and play of a deal of tarokk:
// the partner call, counts, figures, contras, and whose side is speaking
// (docs/spec/61-tarokk.md, R-CALL, R-ANC, R-CNT, R-FIG, R-CON, R-SIDE). It knows
// no hand: each turn comes with the claims that its speaker must prove.
package announce
