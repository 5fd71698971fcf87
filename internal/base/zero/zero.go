// SPDX-License-Identifier: Apache-2.0

// Package zero reads nil as the zero value and copies it as nil. Exported functions use it to
// accept nil, and to copy their arguments.
package zero

// Or returns p, or a pointer to a zero value if p is nil.
func Or[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// Copy returns a pointer to a copy of the value of p, or nil.
func Copy[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
