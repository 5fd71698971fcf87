// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

func ExampleSet_Has() {
	repair := quirk.LastPauseSkipped | quirk.LastStepNotAwaited
	fmt.Println(repair.Has(quirk.LastPauseSkipped), repair.Has(quirk.LimitsWrapAround))
	// Output: true false
}

func ExampleParse() {
	fmt.Println(quirk.Parse("LastPauseSkipped"))
	_, err := quirk.Parse("PauseSkipped")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// LastPauseSkipped <nil>
	// true
}

func ExampleTable() {
	table := quirk.Table()
	i := slices.IndexFunc(table, func(q kplan.Quirk) bool { return q.Name == "LastPauseSkipped" })
	fmt.Println(len(table), "of them, one is", table[i].Name)
	// Output: 30 of them, one is LastPauseSkipped
}
