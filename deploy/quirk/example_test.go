// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
)

func ExampleSet_Has() {
	repair := quirk.ScalingLosesShares | quirk.ProductsWrapAround
	fmt.Println(repair.Has(quirk.ScalingLosesShares), repair.Has(quirk.SumsWrapAround), quirk.All.Has(repair))
	// Output: true false true
}

// As the command takes them from a flag.
func ExampleParse() {
	fmt.Println(quirk.Parse("SumsWrapAround", "ProductsWrapAround"))
	_, err := quirk.Parse("SharesLost")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// ProductsWrapAround,SumsWrapAround <nil>
	// true
}

func ExampleTable() {
	table := quirk.Table()
	i := slices.IndexFunc(table, func(q kplan.Quirk) bool { return q.Name == "StaleAnnotationBlocksRollout" })
	fmt.Println(table[i].Issue)
	// Output: kubernetes/kubernetes#102551
}

// The history of ReplicaSets is kept by package revision.
func ExampleSet_Revision() {
	fmt.Println(quirk.All.Revision().Repair)
	// Output: UnreadableRevisionSortsByAge,UsedSetsFillHistory
}
