// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// A world is an ideal cluster with one Rollout of Argo: every pod becomes
// available between passes.
type world struct {
	t     require.TestingT
	clock time.Time
	s     argo.Snapshot
	plan  argo.Plan      // the last one
	led   argo.SetWeight // the last one
	check func()

	repair quirk.Set
}

func newWorld(t require.TestingT, replicas int32, steps ...argo.Step) *world {
	w := &world{t: t, clock: now}
	w.s.Rollout = argo.Rollout{Name: "web", Generation: 1, TemplateHash: "v1", Replicas: &replicas, Steps: steps}
	return w
}

// green makes the update blue-green.
func (w *world) green(b argo.BlueGreen) *world {
	w.s.Rollout.BlueGreen = &b
	w.s.Active, w.s.Preview = &argo.Service{Name: "active"}, &argo.Service{Name: "preview"}
	return w
}

// pass executes one plan and lets its pods become available. It reports whether anything
// changed.
func (w *world) pass() bool {
	p, err := repaired(w.s, w.clock, w.repair)
	require.NoError(w.t, err)
	before := w.s.Rollout.Status
	for _, a := range p.Actions {
		w.s, err = argo.Apply(w.s, a, w.clock)
		require.NoError(w.t, err)
		if led, ok := a.(argo.SetWeight); ok {
			w.led = led
		}
		if w.check != nil {
			w.check()
		}
	}
	w.s.Rollout.Status, w.plan = p.Status, p
	for i := range w.s.Sets {
		set := &w.s.Sets[i]
		set.AvailableReplicas, set.StatusReplicas, set.ReadyReplicas = set.Replicas, set.Replicas, set.Replicas
	}
	return len(p.Actions) > 0 || !cmp.Equal(before, p.Status)
}

func (w *world) set(hash string) *argo.ReplicaSet {
	for i := range w.s.Sets {
		if w.s.Sets[i].Hash == hash {
			return &w.s.Sets[i]
		}
	}
	require.Fail(w.t, "no such set", hash)
	return nil
}

// run goes on until nothing changes any more, and time will change nothing. It resumes
// what waits for a person if asked to.
func (w *world) run(approve bool) {
	for range 400 {
		changed := w.pass()
		switch {
		case changed:
		case w.plan.RecheckAt.After(w.clock):
			w.clock = w.plan.RecheckAt.Add(1)
		case approve && len(w.s.Rollout.Status.PauseConditions) > 0:
			w.s.Rollout.Status.PauseConditions = nil // a person resumes
		default:
			return
		}
	}
}

func (w *world) sizes() string {
	var parts []string
	for _, set := range w.s.Sets {
		if set.Replicas > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", set.Hash, set.Replicas))
		}
	}
	return strings.Join(parts, " ")
}
