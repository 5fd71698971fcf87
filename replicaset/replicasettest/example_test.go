// SPDX-License-Identifier: Apache-2.0

package replicasettest_test

import (
	"fmt"

	"github.com/kplan-go/kplan/replicaset/replicasettest"
)

func ExampleKit() {
	fmt.Println(replicasettest.Kit().Names()[15:18])
	// Output: [exact difference own active pods only no surplus deletion]
}
