package verifier

// StandingsOf is for tables that were never played.
var StandingsOf = standings
