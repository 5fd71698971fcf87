// SPDX-License-Identifier: Apache-2.0

package daemonsettest_test

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset/daemonsettest"
)

func ExampleKit() {
	fmt.Println(daemonsettest.Kit().Names()[15:18])
	// Output: [placement one pod per node unavailable nodes bound]
}
