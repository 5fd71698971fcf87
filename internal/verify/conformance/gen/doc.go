// SPDX-License-Identifier: Apache-2.0

// Package gen draws API objects that look like real ones and like broken ones.
//
// The comment of each generator gives its distribution, roughly: rapid prefers the first element of
// a list, which is therefore always the ordinary case, and the result of shrinking. All times are
// relative to an instant that the caller gives.
//
// Tests count the rare cases, and fail if one did not occur.
package gen
