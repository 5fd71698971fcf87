// SPDX-License-Identifier: Apache-2.0

// Package total serves tests that must reach everything: every exported function and
// method of a package, called with nil, zero, extreme and random arguments ([Package]),
// and every field of a type, filled with a value of its own ([Fill]).
package total
