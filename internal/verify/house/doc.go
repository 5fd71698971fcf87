// SPDX-License-Identifier: Apache-2.0

// Package house holds the rules of the house for the code of this module: which
// package may import which, what the core may not do, how long a function may be.
// It contains only tests. Each rule is a function from parsed files to violations,
// and is itself tested on code that breaks it.
package house
