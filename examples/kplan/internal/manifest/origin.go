// SPDX-License-Identifier: Apache-2.0

package manifest

// cluster is how messages name where [Source.Objects] come from.
const cluster = "cluster"

// A source is an object and the file that holds it.
type source[T any] struct {
	object *T
	file   string
}
