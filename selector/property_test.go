// SPDX-License-Identifier: Apache-2.0

package selector_test

// source turns a seed drawn by rapid into the random source of this package's
// generators.
