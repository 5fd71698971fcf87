// SPDX-License-Identifier: Apache-2.0

package manifest

// cluster stands for a file name in messages about [Source.Objects].
const cluster = "cluster"

// A source is an object and the name of its file.
type source[T any] struct {
	object *T
	file   string
}
