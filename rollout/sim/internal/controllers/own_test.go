// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// keeper keeps as many pods for each Crew as its spec says, and tells how many are ready.
var keeper = Reconciler{Name: "keeper", For: store.KindObject, Object: "Crew", Reconcile: keep}

func keep(v View, name string) (writes []Write, again time.Duration, err error) {
	o := v.Objects.GetAt(v.At[store.KindObject], name)
	if o == nil || o.Kind != "Crew" {
		return nil, 0, nil
	}
	n, err := strconv.Atoi(o.Spec["pods"])
	if err != nil {
		return nil, 0, err
	}
	ready, left := 0, 0
	for _, p := range v.Pods.OfAt(v.At[store.KindPod], o.UID) {
		if !p.Active() {
			continue
		}
		if left++; left > n {
			writes = append(writes, Write{store.Delete, p.Plain()})
		} else if p.Ready {
			ready++
		}
	}
	for ; left < n; left++ {
		writes = append(writes, Write{store.Create, &podorder.Pod{ControllerKind: o.Kind, ControllerName: name, ControllerUID: o.UID}})
	}
	if text := strconv.Itoa(ready); text != o.Status["ready"] {
		told := *o
		told.Status = map[string]string{"ready": text}
		writes = append(writes, Write{store.UpdateStatus, &told})
	}
	return writes, 0, nil
}

func makes(r Reconciler) func(*Env, int) *control.Controller {
	return func(env *Env, instance int) *control.Controller { return newOwn(env, r, instance) }
}

func crew(h *harness, pods string) {
	put(h, &h.Objects, "crew", func(o *cluster.Object) {
		o.Kind, o.UID, o.Spec = "Crew", "crew-uid", map[string]string{"pods": pods}
	})
}

// A controller of the caller keeps three pods, then five, then one, although four in ten of its
// writes of a status meet one of somebody else. What it writes has the UID and times of the store.
func TestOwnKeepsPods(t *testing.T) {
	between := 0
	for seed := range uint64(30) {
		h := newHarness(t, seed, trouble.Rates{trouble.Conflict: 4}, makes(keeper))
		for _, n := range []string{"3", "5", "1"} {
			crew(h, n)
			h.settle()
			require.Equal(t, n, strconv.Itoa(h.templates()[""]), "seed %d", seed)
			require.Equal(t, map[string]string{"ready": n}, h.Objects.Get("crew").Status, "seed %d", seed)
		}
		between += h.Trouble.Counts[trouble.WrittenBetween]
		require.Equal(t, h.Trouble.Counts[trouble.WrittenBetween], h.Trouble.Counts[trouble.AnsweredConflict])
		p := h.Server.Pods.All()[0]
		require.Equal(t, "sim-1", p.UID)
		require.Contains(t, p.Name, "crew-", "a pod without a name gets one")
		require.Equal(t, 5, h.Server.Pods.Created(), "no pod is created twice, nor again")
	}
	require.Greater(t, between, 60, "three statuses and more are written in each world")
}

// All faults together only delay it.
func TestOwnInTrouble(t *testing.T) {
	rates := trouble.Rates{}
	for f := range rates {
		rates[f] = 1
	}
	for seed := range uint64(40) {
		h := newHarness(t, seed, rates, makes(keeper))
		crew(h, "4")
		for until := h.Agenda.Now().Add(time.Hour); h.Agenda.Now().Before(until) && h.step(); {
			require.NoError(t, h.Err())
		}
		h.heal()
		h.settle()
		require.Equal(t, 4, h.templates()[""], "seed %d", seed)
	}
}

// A Reconciler looks at objects of its kind, and at the owner of what has changed; with All at each
// after any change. It looks again after an error, and after the time that it has asked for.
func TestOwnLooks(t *testing.T) {
	looks := func(r Reconciler, change func(*harness)) (names []string) {
		if r.Name = "looker"; r.Reconcile == nil {
			r.Reconcile = func(_ View, name string) ([]Write, time.Duration, error) {
				names = append(names, name)
				return nil, 0, nil
			}
		}
		h := newHarness(t, 1, trouble.Rates{}, makes(r))
		for _, kind := range []string{"A", "B"} {
			put(h, &h.Objects, kind, func(o *cluster.Object) { o.Kind = kind })
		}
		h.settle()
		names = nil
		change(h)
		h.settle()
		return names
	}
	nothing := func(*harness) {}
	touch := func(h *harness) { put(h, &h.Objects, "B", func(o *cluster.Object) { o.ControllerName = "A" }) }
	node := func(h *harness) { put(h, &h.Nodes, "n1", func(*store.Node) {}) }
	a, all := Reconciler{For: store.KindObject, Object: "A"}, Reconciler{For: store.KindObject, Object: "A", All: true}
	require.Empty(t, looks(a, nothing))
	require.Equal(t, []string{"A"}, looks(a, touch), "the owner of what has changed, though it is an Object, too")
	require.Equal(t, []string{"B"}, looks(Reconciler{For: store.KindObject, Object: "B"}, touch))
	require.Empty(t, looks(a, node))
	require.Equal(t, []string{"A"}, looks(all, node))
	require.Equal(t, []string{"n1"}, looks(Reconciler{For: store.KindNode}, node))
	daemon := func(h *harness) {
		put(h, &h.Server.Pods, "p", func(p *store.Pod) { p.OfDaemonSet, p.Ready = true, true })
	}
	require.Empty(t, looks(Reconciler{For: store.KindPod}, daemon), "a pod of a DaemonSet is none of the pods")

	var at []time.Duration
	begin := time.Time{}
	a.Reconcile = func(v View, _ string) ([]Write, time.Duration, error) {
		if at = append(at, v.Now.Sub(begin)); len(at) == 1 {
			return nil, 0, errors.New("not yet")
		} else if len(at) == 2 {
			return nil, time.Minute, nil
		}
		return nil, 0, nil
	}
	looks(a, func(h *harness) {
		at, begin = nil, h.Agenda.Now()
		put(h, &h.Objects, "A", func(*cluster.Object) {})
	})
	require.Equal(t, []time.Duration{0, 5 * time.Millisecond, 5*time.Millisecond + time.Minute}, at)
}
