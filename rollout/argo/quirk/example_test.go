// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

func ExampleSet_Has() {
	repair := quirk.PausedTwice | quirk.RoutesLost
	fmt.Println(repair.Has(quirk.PausedTwice), repair.Has(quirk.All))
	// Output: true false
}

func ExampleParse() {
	fmt.Println(quirk.Parse("PausedTwice"))
	_, err := quirk.Parse("Paused")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// PausedTwice <nil>
	// true
}

func ExampleTable() {
	table := quirk.Table()
	i := slices.IndexFunc(table, func(q kplan.Quirk) bool { return q.Name == "PausedTwice" })
	fmt.Println(len(table), "of them, one is", table[i].Name)
	// Output: 12 of them, one is PausedTwice
}
