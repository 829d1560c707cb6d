package scene

// Kernel and Article are for the tests of this package alone.
var (
	Kernel      = kernel
	GermanCards = german
	Article     = hungarianArticle
)
