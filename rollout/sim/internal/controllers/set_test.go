// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
)

var (
	cloneSets    = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}
	statefulSets = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"}
)

// aSet puts a set of a size and the template "a".
func aSet(h *harness, ref workload.Ref, replicas int32, unavailable int32) {
	put(h, &h.Sets, ref.Name, func(o *store.Set) {
		o.Ref, o.UID, o.Replicas, o.Template, o.TemplateLabels = ref, "set", &replicas, revision.Template{ID: "a"}, map[string]string{"app": "web"}
		o.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: rollout.Int(unavailable)}
	})
}

// release gives a set the template "b".
func release(h *harness, change func(*store.Set)) {
	put(h, &h.Sets, "web", func(o *store.Set) {
		o.Template, o.Generation = revision.Template{ID: "b"}, o.Generation+1
		change(o)
	})
}

// templates are how many pods are ready, by template.
func (h *harness) templates() map[string]int {
	n := map[string]int{}
	for _, p := range h.Server.Pods.All() {
		if p.Ready && p.Active() {
			n[p.Template]++
		}
	}
	return n
}

// A set goes from "a" to "b", with times since "b" was asked for. Pods are ready 10 seconds after
// they were created or updated, and gone 5 seconds after they were deleted.
func TestSet(t *testing.T) {
	tests := []struct {
		name     string
		ref      workload.Ref
		replicas int32
		change   func(*store.Set)
		want     []string
	}{
		// Of Kubernetes: one pod at a time, from the last one, and each waits for the one before.
		{"StatefulSet", statefulSets, 3, func(*store.Set) {}, []string{
			"0s delete web-2", "5s create web-2", "15s delete web-1", "20s create web-1", "30s delete web-0", "35s create web-0",
		}},
		{"StatefulSet to its partition", statefulSets, 3, func(o *store.Set) { o.Partition = rollout.Int(2) }, []string{"0s delete web-2", "5s create web-2"}},
		// The last pod has just become ready, and is available 5 seconds later; so is each new one.
		{"StatefulSet that waits", statefulSets, 3, func(o *store.Set) { o.Partition, o.MinReadySeconds = rollout.Int(1), 5 }, []string{
			"5s delete web-2", "10s create web-2", "25s delete web-1", "30s create web-1",
		}},
		// Two may be unavailable: two are marked and replaced at once, and one more for each of these that is ready.
		{"CloneSet", cloneSets, 4, func(*store.Set) {}, []string{
			"0s mark", "0s mark", "0s delete", "0s delete", "0s create", "0s create", "10s mark", "10s delete", "10s create", "10s mark", "10s delete", "10s create",
		}},
		{"CloneSet in place", cloneSets, 3, func(o *store.Set) { o.InPlace = true }, []string{"0s update", "0s update", "10s update"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t, 1, trouble.Rates{}, newSetController)
			aSet(h, tt.ref, tt.replicas, 2)
			h.settle()
			require.Equal(t, map[string]int{"a": int(tt.replicas)}, h.templates())
			var log []string
			begin := h.Agenda.Now()
			h.Observe(func(e store.Write) {
				if a, ok := e.Action.(podset.Action); ok {
					line := fmt.Sprint(h.Agenda.Now().Sub(begin), " ", a.Verb)
					if tt.ref == statefulSets {
						line += " " + a.Name
					}
					log = append(log, line)
				}
			})
			release(h, tt.change)
			h.settle()
			require.Equal(t, tt.want, log)
			updated := h.Sets.Get("web").Status.UpdatedReadyReplicas
			require.Equal(t, int(updated), h.templates()["b"])
			require.Equal(t, tt.replicas, h.Sets.Get("web").Status.AvailableReplicas)
		})
	}
}

// An update in place keeps the pods: their names and UIDs stay, their labels tell the new revision,
// and they have to become ready again.
func TestSetInPlace(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newSetController)
	aSet(h, cloneSets, 3, 2)
	h.settle()
	uids := func() (list []string) {
		for _, p := range h.Server.Pods.All() {
			list = append(list, p.Name+" "+p.UID)
		}
		return list
	}
	before, least := uids(), 3
	release(h, func(o *store.Set) { o.InPlace = true })
	h.settle(func() { least = min(least, h.templates()["a"]+h.templates()["b"]) })
	require.Equal(t, before, uids())
	require.Equal(t, 1, least, "two of three may be unavailable")
	for _, p := range h.Server.Pods.All() {
		require.Equal(t, "b", p.Template)
		require.Equal(t, map[string]string{"app": "web", workload.LabelControllerRevision: "web-b", workload.LabelPodTemplateHash: "b"}, p.Labels)
	}
}

// A pod of an earlier revision has the labels of the template of that.
func TestSetLabels(t *testing.T) {
	for name, forget := range map[string]bool{"known": false, "after a restart": true} {
		h := newHarness(t, 1, trouble.Rates{}, newSetController)
		aSet(h, statefulSets, 3, 1)
		h.settle()
		release(h, func(o *store.Set) {
			o.Partition, o.TemplateLabels = rollout.Int(2), map[string]string{"app": "web", "new": "yes"}
		})
		h.settle()
		if forget {
			h.setLabels = nil
		}
		h.DeletePod(apiserver.By(store.User, "web-0"))
		h.settle()
		require.Equal(t, map[string]string{"app": "web", workload.LabelControllerRevision: "web-a"}, h.Server.Pods.Get("web-0").Labels, name)
		require.Equal(t, "yes", h.Server.Pods.Get("web-2").Labels["new"], name)
	}
}

// The status is written although a pod is refused, which is asked for again.
func TestSetQuota(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newSetController)
	h.Quotas.Put(cluster.Quota{Name: "q", Hard: map[string]int64{"pods": 2}})
	aSet(h, statefulSets, 3, 1)
	for end := h.Agenda.Now().Add(time.Minute); h.Agenda.Now().Before(end) && h.step(); {
	}
	require.EqualValues(t, 2, h.Sets.Get("web").Status.ReadyReplicas)
	h.Quotas.Put(cluster.Quota{Name: "q"})
	h.settle()
	require.EqualValues(t, 3, h.Sets.Get("web").Status.ReadyReplicas)
}

// A set that wants more pods than a world may have ends it.
func TestSetTooLarge(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newSetController)
	h.Quotas.Most = 5
	aSet(h, cloneSets, 5, 1)
	h.settle()
	require.Equal(t, map[string]int{"a": 5}, h.templates())
	put(h, &h.Sets, "web", func(o *store.Set) { o.Replicas = ptr.To(int32(6)) })
	for h.Err() == nil && h.step() {
	}
	var err *kplan.FieldError
	require.ErrorAs(t, h.Err(), &err)
	require.Equal(t, `Sets["web"].Replicas`, err.Path)
	require.Len(t, h.Server.Pods.All(), 5)
}

// A controller that sees the past has never more pods than the set wants, because it does not plan
// again before it sees its own writes. All faults together only delay it.
func TestSetInTrouble(t *testing.T) {
	all := trouble.Rates{}
	for _, f := range []trouble.Fault{trouble.Crash, trouble.Stale, trouble.Skip, trouble.Request, trouble.Disorder, trouble.Readiness, trouble.Conflict, trouble.LostEvents} {
		all[f] = 1
	}
	for name, rates := range map[string]trouble.Rates{"stale": {trouble.Stale: 2}, "all": all} {
		for seed := range uint64(60) {
			h := newHarness(t, seed, rates, newSetController)
			ref := []workload.Ref{cloneSets, statefulSets}[seed%2]
			within := func() {
				active := slices.DeleteFunc(slices.Clone(h.Server.Pods.All()), func(p *store.Pod) bool { return !p.Active() })
				require.LessOrEqual(t, len(active), 4, "%s %s, seed %d", name, ref.Kind, seed)
			}
			if name != "stale" {
				within = func() {}
			}
			aSet(h, ref, 4, 2)
			run := func() {
				for until := h.Agenda.Now().Add(10 * time.Minute); h.Agenda.Now().Before(until) && h.step(); {
					within()
				}
				require.NoError(t, h.Err())
			}
			run()
			release(h, func(*store.Set) {})
			run()
			h.heal()
			h.settle(within)
			require.Equal(t, map[string]int{"b": 4}, h.templates(), "%s %s, seed %d", name, ref.Kind, seed)
		}
	}
}

// TestSetDeletesOn: a pod that is gone when its deletion is asked for does not end the pass: the next one
// goes by the same plan.
func TestSetDeletesOn(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newSetController)
	aSet(h, cloneSets, 3, 1)
	h.settle()
	put(h, &h.Sets, "web", func(o *store.Set) { o.Replicas = ptr.To(int32(0)) })
	plans := h.Plans
	require.True(t, h.list[0].Step()) // it plans
	for _, p := range slices.Clone(h.Server.Pods.All())[:2] {
		apiserver.Remove(h.Server, &h.Server.Pods, apiserver.By(store.User, p.Name))
	}
	for range 3 {
		require.True(t, h.list[0].Step())
	}
	require.Equal(t, plans+1, h.Plans)
	require.False(t, h.Server.Pods.All()[0].DeletionTimestamp.IsZero())
}

// TestSetLags: a controller that does not see yet what it has written looks again by itself: no event of
// the set may come any more.
func TestSetLags(t *testing.T) {
	for seed := range uint64(40) {
		h := newHarness(t, seed, trouble.Rates{trouble.Stale: 2}, newSetController)
		aSet(h, cloneSets, 4, 2)
		for h.goesOn() {
		}
		release(h, func(*store.Set) {})
		for h.goesOn() {
		}
		require.NoError(t, h.Err())
		require.Equal(t, map[string]int{"b": 4}, h.templates(), "seed %d", seed)
		require.EqualValues(t, 4, h.Sets.Get("web").Status.UpdatedReadyReplicas, "seed %d", seed)
	}
}
