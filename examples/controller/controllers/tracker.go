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

// A tracker remembers, by owner, writes that the cache may not show yet, so that it is safe to
// plan from the cache. All of it may be lost, since a controller starts with a new cache.
type tracker struct {
	mu     sync.Mutex
	owners map[types.UID]memory
}

// A memory is the part of a tracker for one owner.
type memory struct {
	expected expect.Expectations      // pods that were created and deleted
	written  expect.Writes[types.UID] // of the owner and its children, except pods
	versions expect.Versions          // that plans have left
	backoff  daemonset.Backoff        // of a DaemonSet
	stalled  stall                    // of a Deployment
}

// A stall is the obstacle to the rollout of a Deployment, and the time since which it
// exists.
type stall struct {
	what  string
	since time.Time
}

func newTracker() *tracker { return &tracker{owners: map[types.UID]memory{}} }

// of returns the memory of an owner. Read it before the pods, so that no event between the
// two reads is missed.
func (t *tracker) of(owner types.UID) memory {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.owners[owner]
}

// change changes the memory of an owner, and drops it if it is empty.
func (t *tracker) change(owner types.UID, to func(*memory)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.owners[owner]
	to(&m)
	if m.expected.Fulfilled() {
		m.expected = expect.Expectations{}
	}
	t.owners[owner] = m
	if m.expected.At.IsZero() && len(m.written) == 0 && m.versions == (expect.Versions{}) && len(m.backoff) == 0 && m.stalled == (stall{}) {
		delete(t.owners, owner)
	}
}

// expect changes the expectations of an owner.
func (t *tracker) expect(owner types.UID, to func(expect.Expectations) expect.Expectations) {
	t.change(owner, func(m *memory) { m.expected = to(m.expected) })
}

// forget drops the memory of an owner that is gone.
func (t *tracker) forget(owner types.UID) {
	t.change(owner, func(m *memory) { *m = memory{} })
}

// stuck notes the obstacle to the rollout of a Deployment, and reports whether it has been
// the same for behindLimit.
func (t *tracker) stuck(d types.UID, what string) (stuck bool) {
	t.change(d, func(m *memory) {
		if m.stalled.what != what {
			m.stalled = stall{what, time.Now()}
		}
		stuck = time.Since(m.stalled.since) >= behindLimit
	})
	return stuck
}

// free notes that nothing stops the rollout of a Deployment.
func (t *tracker) free(d types.UID) {
	t.change(d, func(m *memory) { m.stalled = stall{} })
}

// gone drops the recorded writes to a child that is gone: they will never show in the
// cache.
func (t *tracker) gone(child metav1.Object, owner *metav1.OwnerReference) {
	t.forget(child.GetUID())
	if owner != nil {
		t.change(owner.UID, func(m *memory) { m.written = m.written.Forget(child.GetUID()) })
	}
}

// wrote remembers the version after a write, for the object and its owner. Pods are
// left to the expectations.
func (t *tracker) wrote(o kube.Object) {
	if (kube.Request{Object: o}).Resource() == "pods" {
		return
	}
	record := func(m *memory) { m.written = m.written.Wrote(o.GetUID(), o.GetResourceVersion(), time.Now()) }
	t.change(o.GetUID(), record)
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		t.change(owner.UID, record)
	}
}

// behind reports whether the cache, from which these objects come, lacks a write to one
// of them, or an object created for the owner. A plan from that cache would be wrong,
// or rejected by the API server. The next event starts the next pass.
func (t *tracker) behind(owner types.UID, cached ...metav1.Object) (behind bool) {
	t.change(owner, func(m *memory) {
		for _, o := range cached {
			m.written = m.written.Observed(o.GetUID(), o.GetResourceVersion())
		}
		m.written = m.written.Expire(time.Now(), behindLimit)
		behind = len(m.written) > 0
	})
	return behind
}
