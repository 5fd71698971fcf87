package field

// OrZero returns p, or a pointer to a zero value if p is nil. Exported functions take nil
// for the zero value, so that none panics.
func OrZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
