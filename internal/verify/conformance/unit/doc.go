// SPDX-License-Identifier: Apache-2.0

// Package unit runs the unit tests of Kubernetes' own controllers over the planners. The test
// copies the controllers and their tests from the module cache into a temporary module, under other
// import paths. The functions in the files of testdata/shim replace upstream's, which stay under
// another name. No upstream test is changed.
package unit
