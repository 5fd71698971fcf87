// SPDX-License-Identifier: Apache-2.0

// Package conformance runs the real Kubernetes controllers and the planners of this module's parent
// on the same random objects, and fails where they differ.
//
// It has no code of its own: see README.md for how to run it, gen for the objects, upstream for the
// controllers, and the files differences_*_test.go for the complete list of intended differences.
package conformance
