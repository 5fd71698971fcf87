// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
)

// twoSets is a rollout between two ReplicaSets, of which the plan has an action, an event,
// conditions and a number of terminating pods: all that lies in its memory.
func twoSets() deploy.Snapshot {
	s := snapshot(web(12, template("v0"), deadline(600)), set(0, 4, numbered("2")), set(1, 4))
	for i := range s.ReplicaSets {
		s.ReplicaSets[i].Status.TerminatingReplicas = new(int32)
	}
	return s
}

func planOf(t *testing.T, s deploy.Snapshot) deploy.Plan {
	p, err := deploy.Reconcile(s, t0, deploy.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, p.Actions)
	require.NotEmpty(t, p.Events)
	require.NotEmpty(t, p.Status.Conditions)
	require.NotNil(t, p.Status.TerminatingReplicas)
	return p
}

// A plan that lives on keeps none of the objects that it was made from.
func TestPlanKeepsNoObject(t *testing.T) {
	s := twoSets()
	objects := weak.Make(&s.ReplicaSets[0])
	p := planOf(t, s)
	s = deploy.Snapshot{}
	runtime.GC()
	require.Nil(t, objects.Value())
	runtime.KeepAlive(&p)
}

// Who has a plan may change its lists and add to them: nothing else in it changes by that, nor
// does another plan.
func TestPlanIsItsOwners(t *testing.T) {
	for what, spoil := range map[string]func(p *deploy.Plan){
		"actions":    func(p *deploy.Plan) { p.Actions = spoiled(p.Actions) },
		"holds":      func(p *deploy.Plan) { p.Holds = spoiled(p.Holds) },
		"events":     func(p *deploy.Plan) { p.Events = spoiled(p.Events) },
		"conditions": func(p *deploy.Plan) { p.Status.Conditions = spoiled(p.Status.Conditions) },
		"terminating": func(p *deploy.Plan) {
			*p.Status.TerminatingReplicas = 7
			p.Status.TerminatingReplicas = new(int32)
		},
	} {
		text := func(p deploy.Plan) string {
			b, err := json.Marshal(p)
			require.NoError(t, err)
			return string(b)
		}
		s := twoSets()
		before, mine, after := planOf(t, s), planOf(t, s), planOf(t, s)
		want := text(mine)
		spoil(&mine)
		require.Equal(t, want, text(mine), what)
		require.Equal(t, want, text(before), what)
		require.Equal(t, want, text(after), what)
	}
}

// spoiled clears a list and adds to it, and returns a copy of what it was.
func spoiled[S ~[]E, E any](list S) S {
	copied := slices.Clone(list)
	clear(list)
	for range 4 {
		list = append(list, *new(E))
	}
	return copied
}
