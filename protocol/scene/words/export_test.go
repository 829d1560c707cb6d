package words

// Kernel and Article are for the tests of this package alone.
var (
	Kernel  = kernel
	Article = article
)
