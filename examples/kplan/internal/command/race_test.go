// SPDX-License-Identifier: Apache-2.0

//go:build race

package command

// raceDetector says that the race detector watches the tests, which takes them several times
// as long.
const raceDetector = true
