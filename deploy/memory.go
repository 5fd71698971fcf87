// SPDX-License-Identifier: Apache-2.0

package deploy

import "github.com/kplan-go/kplan"

// A memory is one piece in which the parts of most plans lie, since one piece takes a fraction
// of the time of many. Each pass has its own, and the plan keeps it: so what refers to the caller's
// objects is cleared in the end. Each part is an array, behind whose end a longer list goes
// elsewhere, and never into the next part.
type memory struct {
	sets        [2]set // the caller's
	changes     [1]change
	conditions  [2]kplan.Condition
	terminating int32
	actions     [2]Action
	events      [1]kplan.Event
}
