// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset/expect"
)

const (
	// behindDelay is the time until the next pass if the cache is stale and no event
	// comes.
	behindDelay = time.Second
	// behindLimit is the longest wait for a write to show in the cache. An object that
	// does not show by the end of it was deleted before the cache could see it.
	behindLimit = 10 * time.Second
)

// A tracker remembers writes that the cache may not show yet, so that it is safe to plan
// from the cache: created and deleted pods, and written versions. All of it may be lost,
// since a controller starts with a new cache.
type tracker struct {
	mu       sync.Mutex
	expected map[types.UID]expect.Expectations   // by owner
	backoff  map[types.UID]daemonset.Backoff     // by DaemonSet
	written  map[types.UID]map[types.UID]version // by owner, or the object itself, and object
	sets     map[types.UID]expect.Versions       // that plans have left, by ReplicaSet
	daemons  map[types.UID]expect.Versions       // that plans have left, by DaemonSet
	stalled  map[types.UID]stall                 // by Deployment
}

// A stall is the obstacle to the rollout of a Deployment, and the time since which it
// exists.
type stall struct {
	what  string
	since time.Time
}

type version struct {
	resourceVersion string
	at              time.Time
}

func newTracker() *tracker {
	return &tracker{
		expected: map[types.UID]expect.Expectations{},
		backoff:  map[types.UID]daemonset.Backoff{},
		written:  map[types.UID]map[types.UID]version{},
		sets:     map[types.UID]expect.Versions{},
		daemons:  map[types.UID]expect.Versions{},
		stalled:  map[types.UID]stall{},
	}
}

// expectations returns the expectations of an owner. Read them before the pods, so that
// no event between the two reads is missed.
func (t *tracker) expectations(owner types.UID) expect.Expectations {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.expected[owner]
}

// expect changes the expectations of an owner.
func (t *tracker) expect(owner types.UID, change func(expect.Expectations) expect.Expectations) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := change(t.expected[owner])
	if e.Fulfilled() {
		delete(t.expected, owner)
		return
	}
	t.expected[owner] = e
}

// forget drops all records about an owner that is gone.
func (t *tracker) forget(owner types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.expected, owner)
	delete(t.backoff, owner)
	delete(t.written, owner)
	delete(t.sets, owner)
	delete(t.daemons, owner)
	delete(t.stalled, owner)
}

// stuck notes the obstacle to the rollout of a Deployment, and reports whether it has been
// the same for behindLimit.
func (t *tracker) stuck(d types.UID, what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stalled[d].what != what {
		t.stalled[d] = stall{what, time.Now()}
	}
	return time.Since(t.stalled[d].since) >= behindLimit
}

// free notes that nothing stops the rollout of a Deployment.
func (t *tracker) free(d types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.stalled, d)
}

// gone drops the recorded writes to a child that is gone: they will never show in the
// cache.
func (t *tracker) gone(child metav1.Object, owner *metav1.OwnerReference) {
	t.forget(child.GetUID())
	if owner == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if delete(t.written[owner.UID], child.GetUID()); len(t.written[owner.UID]) == 0 {
		delete(t.written, owner.UID)
	}
}

// wrote remembers the version after a write, for the object and its owner. Pods are
// left to the expectations.
func (t *tracker) wrote(o kube.Object) {
	if (kube.Request{Object: o}).Resource() == "pods" {
		return
	}
	keys := []types.UID{o.GetUID()}
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		keys = append(keys, owner.UID)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		if t.written[key] == nil {
			t.written[key] = map[types.UID]version{}
		}
		t.written[key][o.GetUID()] = version{o.GetResourceVersion(), time.Now()}
	}
}

// behind reports whether the cache, from which these objects come, lacks a write to one
// of them, or an object created for the owner. A plan from that cache would be wrong,
// or rejected by the API server. The next event starts the next pass.
func (t *tracker) behind(owner types.UID, cached ...metav1.Object) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	missing := t.written[owner]
	for _, o := range cached {
		w, ok := missing[o.GetUID()]
		if !ok {
			continue
		}
		if c, comparable := expect.CompareVersions(o.GetResourceVersion(), w.resourceVersion); !comparable || c >= 0 {
			delete(missing, o.GetUID())
		}
	}
	for uid, w := range missing {
		if time.Since(w.at) > behindLimit {
			delete(missing, uid)
		}
	}
	return len(missing) > 0
}

// versions returns the versions that the plans for an owner have left, from the tracker's
// sets or daemons.
func versions[V any](t *tracker, of map[types.UID]V, owner types.UID) V {
	t.mu.Lock()
	defer t.mu.Unlock()
	return of[owner]
}

func setVersions[V any](t *tracker, of map[types.UID]V, owner types.UID, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of[owner] = v
}

func (t *tracker) delays(ds types.UID) daemonset.Backoff {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.backoff[ds]
}

func (t *tracker) setDelays(ds types.UID, b daemonset.Backoff) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(b) == 0 {
		delete(t.backoff, ds)
		return
	}
	t.backoff[ds] = b
}
