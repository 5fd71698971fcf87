// SPDX-License-Identifier: Apache-2.0

package argosim

import (
	"time"

	"github.com/kplan-go/kplan/rollout/argo"
)

// A Step is where the Rollout stands after a pass that changed something.
type Step struct {
	Time     time.Duration `json:"-"`
	New      int32         `json:"new"` // wanted, of the template that is rolled out
	NewReady int32         `json:"newReady"`
	Old      int32         `json:"old"`
	OldReady int32         `json:"oldReady"`
	// Traffic is the share of the requests that go to new pods, in percent; -1 if pods get
	// them by their number.
	Traffic int32 `json:"traffic"`
	// Service is which of two Services that take turns selects the new pods, "" if none does.
	Service argo.PingPong `json:"service,omitempty"`
	Index   *int32        `json:"step,omitempty"` // that of the status, from 0
	Phase   argo.Phase    `json:"phase,omitempty"`
	Message string        `json:"message,omitempty"`
	Actions argo.Actions  `json:"actions,omitempty"`
	Aborted bool          `json:"aborted,omitempty"`
	Holds   []argo.Hold   `json:"-"` // what the next pass waits for, if that does nothing
}

// A Result is how it went.
type Result struct {
	Steps    []Step
	Holds    []argo.Hold // at the end
	Done     bool
	GaveUp   time.Duration // the time limit if that ended the run; 0 if nothing was left to happen
	Snapshot argo.Snapshot // at the end
	Now      time.Time
}
