// SPDX-License-Identifier: Apache-2.0

// Package house checks the rules for the code of this module: the imports of each package, the
// functions that the core may not call, the length of functions. It contains only tests. Each rule
// is a function from parsed files to violations, and is itself tested on code that violates it.
package house
