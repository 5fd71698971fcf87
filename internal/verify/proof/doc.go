// SPDX-License-Identifier: Apache-2.0

// Proof proves the bounds of a rolling update for all numbers and any number of sets, from
// the Go code that ships. Run it in this folder:
//
//	go run .
//
// It prints each property with the computing time of each solver. See README.md.
package main
