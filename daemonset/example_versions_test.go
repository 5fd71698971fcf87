// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
)

// The highest version counts, and another DaemonSet starts anew.
func ExampleVersions_WroteStatus() {
	v := daemonset.Versions{}.WroteStatus("d1", "120").WroteStatus("d1", "115")
	fmt.Println(v.DaemonSets, v.WroteStatus("d2", "101").DaemonSets)
	// Output: 120 101
}
