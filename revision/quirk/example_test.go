// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A set of quirks contains each of its members.
func ExampleSet_Has() {
	repair := quirk.LongNameNotCut | quirk.SerialisationIsVersion
	fmt.Println(repair.Has(quirk.LongNameNotCut), repair.Has(quirk.All))
	// Output: true false
}

func ExampleParse() {
	fmt.Println(quirk.Parse("LongNameNotCut", "SerialisationIsVersion"))
	_, err := quirk.Parse("TooLong")
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output:
	// SerialisationIsVersion,LongNameNotCut <nil>
	// true
}

// A row tells where a quirk is, which input shows it, and how it is repaired.
func ExampleTable() {
	table := quirk.Table()
	i := slices.IndexFunc(table, func(q kplan.Quirk) bool { return q.Name == "LongNameNotCut" })
	fmt.Println(len(table), table[i].Source)
	// Output: 8 snapshot of the DaemonSet controller, Kubernetes 1.36.3
}
