// SPDX-License-Identifier: Apache-2.0

package convert

// Or returns p, or a pointer to an empty value if p is nil.
func Or[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
