// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
)

func ExampleSet_Has() {
	repair := quirk.BurstRoundsToZero | quirk.SucceededPodsStay
	fmt.Println(repair.Has(quirk.BurstRoundsToZero), repair.Has(quirk.All))
	// Output: true false
}

func ExampleParse() {
	fmt.Println(quirk.Parse("SucceededPodsStay"))
	_, err := quirk.Parse("PodsStay")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// SucceededPodsStay <nil>
	// true
}

func ExampleTable() {
	table := quirk.Table()
	i := slices.IndexFunc(table, func(q kplan.Quirk) bool { return q.Name == "BurstRoundsToZero" })
	fmt.Println(len(table), "of them, one is", table[i].Name)
	// Output: 20 of them, one is BurstRoundsToZero
}

// ControllerRevisions are named and compared by package revision.
func ExampleSet_Revision() {
	fmt.Println(quirk.All.Revision().Repair)
	// Output: SerialisationIsVersion,LongNameNotCut
}
