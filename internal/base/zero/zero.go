// SPDX-License-Identifier: Apache-2.0

// Package zero reads nil as the zero value, and copies it as nil, so that exported
// functions neither panic nor keep what they are given.
package zero

// Or returns p, or a pointer to a zero value if p is nil.
func Or[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// Copy returns a pointer to a copy of what p points to, or nil.
func Copy[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
