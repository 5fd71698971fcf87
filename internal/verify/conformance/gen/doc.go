// SPDX-License-Identifier: Apache-2.0

// Package gen draws API objects that look like real ones and like broken ones.
//
// Each generator names its distribution, roughly: rapid prefers what comes first in
// a list, which is therefore always the ordinary case, and what a failing case is
// shrunk to. All times are relative to an instant that the caller gives.
//
// Whether the rare cases have really been drawn is not assumed: the tests count
// them, and fail for one that did not occur.
package gen
