// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/random"
	"pgregory.net/rapid"
)

// t0 is when every test happens.
var t0 = random.Now

// Parts of the cases.
var (
	web, set, counted, sized, snapshot = random.Web, random.Set, random.Counted, random.Sized, random.Sets
	replicas, stored, agents, agentPod = random.Replicas, random.Stored, random.Agents, random.AgentPod
	agentRevision                      = random.AgentRevision
)

func pick[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

func often(t *rapid.T, name string, of int) bool { return rapid.IntRange(0, of).Draw(t, name) > 0 }
func seldom(t *rapid.T, name string, of int) bool {
	return rapid.IntRange(0, of).Draw(t, name) == of
}

// anyKind draws a snapshot that a planner accepts.
func anyKind[S any](t *rapid.T, draw func(random.Source, random.Kind) S) S {
	s := random.Rapid(t)
	return draw(s, random.Kinds(s))
}

// The invariants know which defects of upstream they excuse by default, and that none is
// left with all repairs. So these are drawn with no repair or with all.
func deploymentOptions(t *rapid.T) deploy.Options {
	o := random.DeploymentOptions(random.Rapid(t))
	o.Repair = pick(t, "all repairs", 0, deployquirk.All)
	return o
}

func daemonSetOptions(t *rapid.T) daemonset.Options {
	o := random.DaemonSetOptions(random.Rapid(t))
	o.Repair = pick(t, "all repairs", 0, daemonsetquirk.All)
	return o
}
