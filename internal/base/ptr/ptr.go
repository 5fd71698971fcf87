// SPDX-License-Identifier: Apache-2.0

// Package ptr makes and compares pointers to values, for fields where nil means "not set".
package ptr

// To returns a pointer to a copy of the value.
func To[T any](value T) *T { return &value }

// Equal reports whether both are nil, or point to equal values.
func Equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Each returns pointers to the elements of a slice.
func Each[T any](values []T) []*T {
	refs := make([]*T, len(values))
	for i := range values {
		refs[i] = &values[i]
	}
	return refs
}
