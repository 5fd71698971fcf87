// SPDX-License-Identifier: Apache-2.0

// Package adopters shows replacements for projects that carry their own copy of such planners:
// short adapters from the terms of each project to the terms of kplan, written independently
// of its code. The tests run every recorded case of these projects through them: the result is
// equal, or a row of the test names the policy by which it differs, and why. They log the
// number of equal cases of each project.
//
//	KPLAN_VECTORS=folder go test -v -run TestVectors ./internal/verify/adopters
package adopters
