// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// TestPodsAsApplied: a world lets pods be born and end by itself, since they live and there are
// many. What it makes of an action on a pod is nevertheless what Apply of its package says, but for
// the name and the UID of a new one, and for one that has ended by itself: that is gone
// when its node says so, and not at once.
func TestPodsAsApplied(t *testing.T) {
	compared := map[string]int{}
	for _, l := range closedLoops {
		for seed := range uint64(30) {
			w := l.make(seed, Every())
			w.Observer.Write = func(e Write) error {
				switch a := e.Action.(type) {
				case replicaset.CreatePods:
					compared["create"]++
					return bornAsApplied(&e, a)
				case replicaset.DeletePod:
					return endsAsApplied(&e, compared, podsNamed(e.Before.Pods, e.Name, asIs), podsNamed(e.After.Pods, e.Name, asIs), func(p podorder.Pod) ([]podorder.Pod, error) {
						after, err := replicaset.Apply(replicaset.Snapshot{Pods: []podorder.Pod{p}}, a, e.After.Now)
						return after.Pods, err
					})
				case daemonset.DeletePod:
					return endsAsApplied(&e, compared, podsNamed(e.Before.Daemons, e.Name, ofDaemon), podsNamed(e.After.Daemons, e.Name, ofDaemon), func(p podorder.Pod) (pods []podorder.Pod, err error) {
						after, err := daemonset.Apply(daemonset.Snapshot{Pods: []daemonset.Pod{{Pod: p}}}, a, e.After.Now)
						for i := range after.Pods {
							pods = append(pods, after.Pods[i].Pod)
						}
						return pods, err
					})
				}
				return nil
			}
			require.NoError(t, w.Run(l.ticks), "%s, seed %d", l.name, seed)
		}
	}
	for _, what := range []string{"create", "marked", "gone"} {
		require.Greater(t, compared[what], 50, what)
	}
}

func asIs(p *podorder.Pod) *podorder.Pod      { return p }
func ofDaemon(p *daemonset.Pod) *podorder.Pod { return &p.Pod }

// podsNamed returns the pod with a name, or none.
func podsNamed[T any](rows []*T, name string, pod func(*T) *podorder.Pod) (pods []podorder.Pod) {
	for _, o := range rows {
		if p := pod(o); p.Name == name {
			pods = append(pods, *p)
		}
	}
	return pods
}

func bornAsApplied(e *Write, a replicaset.CreatePods) error {
	got := podsNamed(e.After.Pods, e.Name, asIs)[0]
	i := slices.IndexFunc(e.Before.ReplicaSets, func(rs *replicaSet) bool { return rs.UID == got.ControllerUID })
	if i < 0 {
		return nil // it was deleted after its controller has seen it
	}
	a.Count = 1
	after, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: *e.Before.ReplicaSets[i]}, a, e.After.Now)
	if err != nil {
		return err
	}
	want := after.Pods[0]
	want.Name, want.UID, want.ResourceVersion = got.Name, got.UID, got.ResourceVersion
	return differs("a new pod", want, got)
}

func endsAsApplied(e *Write, compared map[string]int, before, got []podorder.Pod, apply func(podorder.Pod) ([]podorder.Pod, error)) error {
	if before[0].Finished() && before[0].NodeName != "" {
		return nil
	}
	want, err := apply(before[0])
	if err != nil {
		return err
	}
	if len(want) == 0 {
		compared["gone"]++
	} else {
		compared["marked"]++
	}
	for i := range min(len(want), len(got)) {
		want[i].ResourceVersion = got[i].ResourceVersion
	}
	return differs(fmt.Sprintf("pod %s that is deleted", e.Name), slices.Concat(want), slices.Concat(got)) // no pods are nil
}

func differs(what string, want, got any) error {
	if diff := cmp.Diff(want, got, cmp.Transformer("UTC", func(at time.Time) string { return at.UTC().String() })); diff != "" {
		return fmt.Errorf("%s (-Apply +world):\n%s", what, diff)
	}
	return nil
}
