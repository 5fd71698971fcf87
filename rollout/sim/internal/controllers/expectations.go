// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
)

// expectations are the writes that a controller waits to see, by the name of the object that it made
// them for.
type expectations map[string]expect.Expectations

// expect notes the writes to wait for. Without trouble a controller sees its writes at once.
func (x expectations) expect(c *control.Controller, name string, e expect.Expectations) {
	if !c.Trouble.Calm() && !e.Equal(x[name]) {
		x[name] = e
	}
}

// observe lowers the expectations by the effects of an event, and enters the objects that it concerns.
func (x expectations) observe(c *control.Controller, effects []replicaset.Effect) {
	for _, e := range effects {
		if of, ok := x[e.Name]; ok {
			if e.Created {
				of = of.CreationObserved()
			}
			if e.Deleted != "" {
				of = of.DeletionObserved(e.Deleted)
			}
			x[e.Name] = of
		}
		if e.Reconcile {
			c.Enter(e.Name)
		}
		if e.Later > 0 {
			c.WakeAt(c.Now().Add(e.Later), e.Name)
		}
	}
}
