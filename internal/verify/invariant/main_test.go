// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets the properties draw the same cases in every run, so that results change only with
// the code. A longer search is -rapid.seed=0 -rapid.checks=N.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.seed" })
	if !given {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
