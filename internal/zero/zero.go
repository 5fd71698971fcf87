// Package zero reads nil as the zero value, so that exported functions do not panic.
package zero

// Or returns p, or a pointer to a zero value if p is nil.
func Or[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
