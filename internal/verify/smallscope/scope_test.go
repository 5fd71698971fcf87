// SPDX-License-Identifier: Apache-2.0

package smallscope_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/smallscope"
	"github.com/kplan-go/kplan/replicaset"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A scope is a system to explore with its options.
type scope struct {
	name      string
	corrected bool
	explore   func() smallscope.Report
}

// full tells whether to explore the whole scope, which takes minutes.
func full() bool { return os.Getenv("KPLAN_SMALLSCOPE") == "full" }

// either returns always, or whole in the whole scope.
func either[T any](always, whole T) T {
	if full() {
		return whole
	}
	return always
}

// found returns the violations of the named invariants by a plan, whatever quirk explains them.
func found(list []invariant.Violation) (breaches []smallscope.Breach) {
	for _, v := range list {
		breaches = append(breaches, smallscope.Breach{Property: v.Name, Detail: v.Detail})
	}
	return breaches
}

func checkDeployment(o deploy.Options) func(deploy.Snapshot, deploy.Plan) []smallscope.Breach {
	return func(s deploy.Snapshot, p deploy.Plan) []smallscope.Breach {
		return found(invariant.Run(&invariant.DeploymentPass{Snapshot: s, Now: now, Options: o, Plan: p, Strict: true}))
	}
}

func checkReplicaSet(o replicaset.Options) func(replicaset.Snapshot, replicaset.Plan) []smallscope.Breach {
	return func(s replicaset.Snapshot, p replicaset.Plan) []smallscope.Breach {
		return found(invariant.Run(&invariant.ReplicaSetPass{Snapshot: s, Now: now, Options: o, Plan: p, Strict: true}))
	}
}

func checkDaemonSet(o daemonset.Options) func(daemonset.Snapshot, daemonset.Plan) []smallscope.Breach {
	return func(s daemonset.Snapshot, p daemonset.Plan) []smallscope.Breach {
		return found(invariant.Run(&invariant.DaemonSetPass{Snapshot: s, Now: now, Options: o, Plan: p, Strict: true}))
	}
}

// deployments are Deployments with their limits, by name.
func deployments() map[string]smallscope.Deployments {
	base := smallscope.Deployments{Plan: deploy.Reconcile, Replicas: either([]int8{2, 1, 0}, []int8{4, 2, 0}), Templates: 3, Changes: 2, Losses: 1, Behind: 1}
	surging, shrinking, both, recreated, paused := base, base, base, base, base
	surging.Surge, surging.Behind, surging.Losses = 1, either[int8](0, 1), either[int8](1, 0)
	shrinking.Unavailable, shrinking.Losses = 1, 0
	both.Surge, both.Unavailable, both.Behind, both.Templates = 1, 1, 0, either[int8](2, 3)
	both.Replicas = either(both.Replicas, []int8{4, 2})
	recreated.Strategy, recreated.Ending, recreated.Losses = deploy.Recreate, true, either[int8](0, 1)
	paused.Surge, paused.Pauses, paused.Losses, paused.Behind = 1, true, 0, 0
	paused.Replicas = either([]int8{2, 1}, []int8{3, 4, 1})
	return map[string]smallscope.Deployments{
		"Deployment, surge": surging, "Deployment, unavailable": shrinking, "Deployment, both": both,
		"Deployment, Recreate": recreated, "Deployment, paused": paused,
	}
}

// rollouts are Deployments that are rolled by partition in batches.
func rollouts() map[string]smallscope.Deployments {
	batches := either(
		[]rollout.IntOrPercent{rollout.Percent(0), rollout.Percent(50), rollout.Percent(100)},
		[]rollout.IntOrPercent{rollout.Percent(0), rollout.Percent(25), rollout.Percent(75), rollout.Percent(100)})
	base := smallscope.Deployments{Plan: deploy.Reconcile, Replicas: either([]int8{3, 2}, []int8{4, 2}), Templates: 3, Changes: 2, Batches: batches}
	surging, shrinking, paused := base, base, base
	surging.Surge, shrinking.Unavailable, paused.Surge, paused.Pauses = 1, 1, 1, true
	surging.Losses, shrinking.Behind = either[int8](0, 1), either[int8](0, 1)
	return map[string]smallscope.Deployments{"rollout, surge": surging, "rollout, unavailable": shrinking, "rollout, paused": paused}
}

// known are the properties that quirks break. With the repairs there are none.
func known(kind string, corrected bool) map[string]string {
	known := map[string]string{}
	if corrected {
		return known
	}
	switch kind {
	case "progressive":
		known = map[string]string{smallscope.PropertyStep: "workload.OtherTemplateReleased or workload.NextReleaseUnmarked", smallscope.PropertyOver: "workload.NextReleaseUnmarked or workload.LastStepNotAwaited", smallscope.PropertyGoal: "workload.NextReleaseUnmarked",
			smallscope.PropertyTraffic: "workload.NextReleaseUnmarked", smallscope.PropertyAvailable: "deploy.ScalingTakesAvailable", smallscope.PropertyShared: "deploy.ScalingTakesAvailable"}
	case "Deployment":
		known = map[string]string{"available": "deploy.ExcessAvailableCounts", "plan: available": "deploy.ExcessAvailableCounts", "goal": "deploy.StaleAnnotationBlocksRollout"}
	case "rollout":
		known = map[string]string{"available": "deploy.ExcessAvailableCounts", "plan: available": "deploy.ExcessAvailableCounts", "surge": "deploy.NewPodAtPartitionZero",
			"plan: surge": "deploy.NewPodAtPartitionZero", "partition": "deploy.NewPodAtPartitionZero", smallscope.PropertyShared: "deploy.ScalingTakesAvailable"}
	case "DaemonSet of OpenKruise":
		known = map[string]string{"available": "daemonset.OldUnavailableNotCounted"}
	}
	for _, i := range invariant.All() {
		if len(i.Defects) > 0 {
			known[i.Name] = strings.Join(i.Defects, " or ")
		}
	}
	return known
}

func scopes() (list []scope) {
	all := deployments()
	maps.Copy(all, rollouts())
	for _, corrected := range []bool{false, true} {
		for name, d := range all {
			if corrected {
				d.Options.Repair = deployquirk.All
			}
			d.Check = checkDeployment(d.Options)
			list = append(list, scope{name, corrected, func() smallscope.Report { return smallscope.Explore(&d) }})
		}
		list = append(list, progressiveScopes(corrected)...)
		r := smallscope.ReplicaSets{Plan: replicaset.Reconcile, Replicas: either([]int8{3, 1, 0}, []int8{5, 4, 2, 0}), Changes: 2, Losses: 1}
		if corrected {
			r.Options.Repair = replicasetquirk.All
		}
		r.Check = checkReplicaSet(r.Options)
		list = append(list, scope{"ReplicaSet", corrected, func() smallscope.Report { return smallscope.Explore(&r) }})
		for _, dialect := range []daemonset.Dialect{daemonset.Kubernetes, daemonset.OpenKruise} {
			o := daemonset.Options{Dialect: dialect}
			if corrected {
				o.Repair = daemonsetquirk.All
			}
			list = append(list, daemonSets(o)...)
		}
	}
	slices.SortFunc(list, func(a, b scope) int { return strings.Compare(a.name, b.name) })
	return list
}

func daemonSets(o daemonset.Options) (list []scope) {
	kind := "DaemonSet"
	if o.Dialect != daemonset.Kubernetes {
		kind += " of " + string(o.Dialect)
	}
	for name, limits := range map[string][2]int8{"one unavailable": {0, 1}, "two unavailable": {0, 2}, "surge": {1, 0}} {
		d := smallscope.DaemonSets{Plan: daemonset.Reconcile, Options: o, Nodes: either(3, 4), Surge: limits[0], Unavailable: limits[1],
			Templates: 2, Changes: 2, Losses: either(1-limits[0], 1), Check: checkDaemonSet(o)}
		list = append(list, scope{kind + ", " + name, o.Repair == daemonsetquirk.All, func() smallscope.Report { return smallscope.Explore(&d) }})
	}
	return list
}

// isInvariant reports whether a property is an invariant, and not one of this package.
func isInvariant(property string) bool {
	return slices.ContainsFunc(invariant.All(), func(i invariant.Invariant) bool { return i.Name == property })
}

// TestScopes explores all reachable states. By default exactly the bounds that the defects list are
// violated, and with the repairs none.
func TestScopes(t *testing.T) {
	var mutex sync.Mutex
	broken := map[string]bool{} // by kind and property
	t.Run("explore", func(t *testing.T) {
		for _, s := range scopes() {
			options := "default"
			if s.corrected {
				options = "corrected"
			}
			t.Run(s.name+", "+options, func(t *testing.T) {
				t.Parallel()
				kind, _, _ := strings.Cut(s.name, ",")
				start, known := time.Now(), known(kind, s.corrected)
				r := s.explore()
				t.Logf("%d states, %d moves, %d goals in %v", r.States, r.Moves, r.Goals, time.Since(start).Round(time.Millisecond))
				require.NotZero(t, r.Goals)
				for _, v := range r.Violations {
					t.Logf("%s (%s): %s\n\t%s", v.Property, known[v.Property], v.Detail, strings.Join(v.Trace, "\n\t"))
					require.Contains(t, known, v.Property)
					mutex.Lock()
					broken[kind+": "+v.Property] = true
					mutex.Unlock()
				}
			})
		}
	})
	for _, kind := range []string{"Deployment", "rollout", "DaemonSet of OpenKruise"} {
		for property, defect := range known(kind, false) {
			if !isInvariant(property) && !full() {
				require.True(t, broken[kind+": "+property], "%s no longer breaks %q of a %s", defect, property, kind)
			}
		}
	}
}
