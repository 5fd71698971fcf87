// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A deed is something that a user does to a fleet.
type deed struct {
	At         time.Duration
	What, Whom int
	Size       int32
}

// fleetOf returns an empty fleet with a few nodes.
func fleetOf(latency time.Duration, follow func(*replicaSetController), trace *[]string) *Fleet {
	bound := 0
	f := NewFleet(FleetConfig{
		Seed: 1, Start: Epoch, Latency: latency, Trace: func(line string) { *trace = append(*trace, line) },
		Place: func(*podorder.Pod, revision.Template, string) string {
			bound++
			return fmt.Sprintf("node-%d", bound*bound%5)
		},
		Takes: func(s Stage, _ *podorder.Pod, _ revision.Template, draw float64) time.Duration {
			return time.Duration(draw * float64(9*time.Second)).Truncate(time.Second)
		},
	})
	f.wants(ReplicaSetController)
	for _, c := range f.w.controllers {
		follow(c.worker.(*replicaSetController))
	}
	return f
}

// traced returns what happens in a fleet of three Deployments.
func traced(t require.TestingT, latency time.Duration, follow func(*replicaSetController), deeds []deed) (trace []string) {
	f := fleetOf(latency, follow, &trace)
	put := func(d deed) {
		name, template := fmt.Sprint("web-", d.Whom), fmt.Sprint("v", d.Size%3)
		labels := map[string]string{"app": name}
		require.NoError(t, f.PutDeployment(deploy.Deployment{
			Name: name, UID: name, Replicas: &d.Size, Template: revision.Template{ID: template}, TemplateLabels: labels, Selector: selector.FromLabels(labels),
			MaxSurge: rollout.Int(1 + d.Size/3), MaxUnavailable: rollout.Int(d.Size / 4), MinReadySeconds: d.Size % 2,
		}))
	}
	for whom := range 3 {
		put(deed{Whom: whom, Size: int32(4 + whom)})
	}
	for _, d := range deeds {
		until := f.Now().Add(d.At)
		for f.Step(until) {
		}
		f.Advance(until)
		pods := f.w.store.pods.all()
		switch {
		case d.What == 0:
			f.Scale(KindDeployment, fmt.Sprint("web-", d.Whom), d.Size, User)
		case d.What == 1:
			put(d)
		case d.What == 2 && d.Size == 0:
			f.Delete(KindDeployment, fmt.Sprint("web-", d.Whom))
		case len(pods) == 0:
		case d.What == 3:
			f.FailPod(pods[int(d.Size)%len(pods)].Name)
		case d.What == 4:
			f.EvictPod(pods[int(d.Size)%len(pods)].Name)
		case d.What == 5:
			p := pods[int(d.Size)%len(pods)]
			_, _ = update(f.w, &f.w.store.pods, request{by: Actor{Role: User}, verb: Update, name: p.Name}, func(p *podorder.Pod) {
				p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
			})
		case d.What == 6:
			p := pods[int(d.Size)%len(pods)]
			_, _ = update(f.w, &f.w.store.pods, request{by: Actor{Role: User}, verb: Update, name: p.Name}, func(p *podorder.Pod) {
				p.Labels = map[string]string{"app": "other"}
			})
		case d.What >= 7:
			changeSet(f, d)
		}
	}
	for f.Step(f.Now().Add(time.Hour)) {
	}
	require.NoError(t, f.Err())
	return trace
}

// changeSet takes the controller from a ReplicaSet, which it finds again, or gives it the selector of
// its pods.
func changeSet(f *Fleet, d deed) {
	sets := f.w.store.replicaSets.all()
	if len(sets) == 0 {
		return
	}
	_, _ = update(f.w, &f.w.store.replicaSets, request{by: Actor{Role: User}, verb: Update, name: sets[int(d.Size)%len(sets)].Name}, func(rs *replicaSet) {
		if d.What == 7 {
			rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
		} else {
			rs.Selector = selector.FromLabels(rs.TemplateLabels)
		}
	})
}

// Property: whether Trackers plan for the ReplicaSets of a fleet or all pods are read each time,
// the same plans are made and the same writes follow. To plan once more for each ReplicaSet whose
// status was written, as is done for the planner of somebody else's, adds plans and no writes. And it
// makes no difference whether Deployments and ReplicaSets are changed where they are or replaced.
func TestFleetFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deeds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deed {
			return deed{
				time.Duration(rapid.IntRange(0, 12).Draw(t, "after")) * time.Second, rapid.IntRange(0, 8).Draw(t, "what"),
				rapid.IntRange(0, 2).Draw(t, "whom"), rapid.Int32Range(0, 12).Draw(t, "size"),
			}
		}), 1, 12).Draw(t, "deeds")
		latency := time.Duration(rapid.IntRange(0, 2).Draw(t, "latency")) * time.Second
		from := func(pods int) []string {
			return traced(t, latency, func(c *replicaSetController) { c.many = pods }, deeds)
		}
		read := from(math.MaxInt)
		for _, many := range []int{1, 5} {
			require.Equal(t, read, from(many), "a Tracker from %d pods on", many)
		}
		for _, many := range []int{1, math.MaxInt} {
			replaced := traced(t, latency, func(c *replicaSetController) {
				c.many = many
				c.w.fleet.remembers()
			}, deeds)
			require.Equal(t, read, replaced, "what is changed takes the place of what was")
		}
		own := traced(t, latency, func(c *replicaSetController) { c.plan = replicaset.Reconcile }, deeds)
		plans := func(line string) bool { return strings.Contains(line, " plans for ") }
		require.Equal(t, slices.DeleteFunc(slices.Clone(read), plans), slices.DeleteFunc(slices.Clone(own), plans), "planned for once more")
		require.LessOrEqual(t, len(read), len(own))
	})
}

// An observer of writes may keep Deployments and ReplicaSets, of a calm fleet as well.
func TestObservedStay(t *testing.T) {
	were := map[any]any{}
	keep := func(o, is any) {
		if _, ok := were[o]; !ok {
			were[o] = is
		}
	}
	traced(t, 0, func(c *replicaSetController) {
		c.w.Observer.Write = func(write Write) error {
			for _, d := range slices.Concat(write.Before.Deployments, write.After.Deployments) {
				keep(d, *d)
			}
			for _, rs := range slices.Concat(write.Before.ReplicaSets, write.After.ReplicaSets) {
				keep(rs, *rs)
			}
			return nil
		}
	}, []deed{{What: 1, Size: 7}, {At: time.Second, What: 1, Whom: 1, Size: 5}, {At: 9 * time.Second, Size: 2}})
	require.Greater(t, len(were), 50)
	for o, was := range were {
		require.Equal(t, was, reflect.ValueOf(o).Elem().Interface())
	}
}
