// SPDX-License-Identifier: Apache-2.0

// Package total serves tests of completeness: they call every exported function and method of a
// package with nil, zero, extreme and random arguments ([Package]), fill every field of a type with a
// different value ([Fill]), and show every quirk of a table ([Quirks]).
package total
