// SPDX-License-Identifier: Apache-2.0

package smallscope

// A memo remembers what was computed for a key. The zero memo remembers nothing yet.
type memo[K comparable, V any] map[K]V

// of returns the value of a key, which is computed once.
func (m *memo[K, V]) of(key K, compute func() V) V {
	v, known := (*m)[key]
	if !known {
		if *m == nil {
			*m = memo[K, V]{}
		}
		v = compute()
		(*m)[key] = v
	}
	return v
}
