package seatfile

// SetWork sets the work factor of scrypt.
func SetWork(factor int) { work = factor }
