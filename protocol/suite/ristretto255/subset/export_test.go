package subset

// ProveBy is a door for tests that prove by a witness of their choice.
var ProveBy = prove

// Opening is the length of what follows the shuffle argument.
const Opening = opening
