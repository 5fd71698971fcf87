// SPDX-License-Identifier: Apache-2.0

// Package unit runs the unit tests of Kubernetes' own controllers over the planners. The
// controllers and their tests are copied from the module cache into a temporary module when
// the test runs, under other import paths; the functions that the files of testdata/shim define
// take the place of upstream's, which stay under another name. No test is changed.
package unit
