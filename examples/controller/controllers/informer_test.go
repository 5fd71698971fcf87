// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A listener tells a Tracker what an informer tells of pods, as README.md says.
type listener struct {
	mu      sync.Mutex
	tracker replicaset.Tracker
	owner   types.UID
	refused []error
}

// concerns returns a pod as a plan knows it, if it is of the owner or of nobody.
func (f *listener) concerns(o any) *podorder.Pod {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	p, ok := o.(*corev1.Pod)
	if !ok {
		return nil
	}
	if owner := metav1.GetControllerOfNoCopy(p); owner != nil && owner.UID != f.owner {
		return nil
	}
	pod := kube.Pod(p)
	return &pod
}

func (f *listener) told(old, now any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: f.concerns(old), New: f.concerns(now)}}); err != nil {
		f.refused = append(f.refused, err)
	}
}

func (f *listener) plan(t *testing.T, now time.Time) replicaset.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	require.Empty(t, f.refused)
	p, err := f.tracker.Plan(now, replicaset.Options{})
	require.NoError(t, err)
	return p
}

// TestTrackerFollowsInformer: a Tracker that an informer tells of pods plans what Reconcile plans
// from the cache, through additions, changes, changes of owners, deletions, pods that are made anew
// under their name, and all of them while the watch is broken, of which a new list tells.
func TestTrackerFollowsInformer(t *testing.T) {
	rs := replicaSet(4)
	rs.UID = "r1"
	set, now := kube.ReplicaSet(rs), time.Now().Truncate(time.Second)
	f := &listener{owner: rs.UID}
	require.NoError(t, f.tracker.Apply(replicaset.Delta{ReplicaSet: &set}))
	source := fcache.NewFakeControllerSource()
	informer := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { f.told(nil, o) }, UpdateFunc: f.told, DeleteFunc: func(o any) { f.told(o, nil) },
	})
	require.NoError(t, err)
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	require.Eventually(t, informer.HasSynced, time.Minute, time.Millisecond)

	random, uid, pods := rand.New(rand.NewPCG(1, 2)), 0, map[string]*corev1.Pod{}
	plans := map[string]bool{}
	for round := range 60 {
		broken := round%20 == 19 // each time it takes longer until there is a new list
		for step := range 12 {
			seen := 1.0 // how likely the watch is to tell
			if broken {
				seen = 0.5 * float64((11-step)/6) // nothing at last, or it would go on where it was
			}
			change := func(what watch.EventType, p *corev1.Pod) {
				source.Change(watch.Event{Type: what, Object: p.DeepCopy()}, seen) // which writes its version
			}
			name := fmt.Sprint("p", random.IntN(9))
			old := pods[name]
			switch {
			case old != nil && random.IntN(4) == 0:
				change(watch.Deleted, old)
				if pods[name] = nil; random.IntN(2) == 0 {
					break
				}
				fallthrough // it is made anew
			case old == nil:
				uid++
				pods[name] = drawnPod(random, name, fmt.Sprint("u", uid), rs.Spec.Selector.MatchLabels, now)
				change(watch.Added, pods[name])
			default:
				pods[name] = drawnPod(random, name, string(old.UID), rs.Spec.Selector.MatchLabels, now)
				change(watch.Modified, pods[name])
			}
		}
		if broken {
			source.ResetWatch() // and what was not told is in the next list
		}
		var there []*corev1.Pod
		for _, p := range pods {
			if p != nil {
				there = append(there, p)
			}
		}
		want, err := replicaset.Reconcile(kube.ReplicaSetSnapshot(rs, there, nil), now, replicaset.Options{})
		require.NoError(t, err)
		// The whole plan: its text may be the one that is wanted before all pods that are ready are known.
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			got := f.plan(t, now)
			assert.Equal(c, want.String(), got.String())
			assert.Equal(c, want.Status, got.Status)
		}, time.Minute, time.Millisecond)
		plans[want.String()] = true
	}
	require.Greater(t, len(plans), 20, "they differ")
}

// drawnPod draws a pod of the ReplicaSet, of another one or of nobody.
func drawnPod(random *rand.Rand, name, uid string, labels map[string]string, now time.Time) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID(uid), Labels: labels}}
	p.CreationTimestamp = metav1.NewTime(now.Add(-time.Hour))
	if owner := []types.UID{"r1", "r1", "r2", ""}[random.IntN(4)]; owner != "" {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: replicaset.Kind, Name: "web", UID: owner, Controller: new(true)}}
	}
	if random.IntN(3) == 0 {
		p.Labels = nil
	}
	if p.Status.Phase = corev1.PodRunning; random.IntN(2) == 0 {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-time.Minute))}}
	}
	return p
}
