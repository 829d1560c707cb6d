package plain

// LooksLikeOthers are all letters that have another one as their skeleton.
func LooksLikeOthers() (list []string) {
	for c := range prototypes {
		list = append(list, string(c))
	}
	return list
}
