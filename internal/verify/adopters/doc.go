// SPDX-License-Identifier: Apache-2.0

// Package adopters shows what a project that carries its own copy of such planners would
// write instead: adapters from its terms to those of kplan, short, and in text of our own. Its
// tests run every recorded case of these projects through them: it comes out equal, or a row
// of the test says by which policy it differs, and why. They log how many of each project do.
//
//	KPLAN_VECTORS=folder go test -v -run TestVectors ./internal/verify/adopters
package adopters
