// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset/quirk"
)

func ExampleSet_Has() {
	repair := quirk.FailedClaimHidesStatus | quirk.RecheckWithoutReadyTime
	fmt.Println(repair.Has(quirk.FailedClaimHidesStatus), repair.Has(quirk.All))
	// Output: true false
}

func ExampleParse() {
	fmt.Println(quirk.Parse("UnusableSelectorIgnored"))
	_, err := quirk.Parse("SelectorIgnored")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// UnusableSelectorIgnored <nil>
	// true
}

func ExampleTable() {
	table := quirk.Table()
	i := slices.IndexFunc(table, func(q kplan.Quirk) bool { return q.Name == "FailureConditionNotRefreshed" })
	fmt.Println(len(table), "of them, the first is", table[i].Name)
	// Output: 6 of them, the first is FailureConditionNotRefreshed
}
