package condition

// ProveBy proves with nonces that are not hedged.
var ProveBy = prove
