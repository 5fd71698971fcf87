// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"reflect"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// A brief is what a pod counts for, in one byte. Each plan for a ReplicaSet asks that of all its
// pods, and those of thousands of workloads do not stay in the fast memory, while the briefs do.
type brief uint8

const (
	briefActive brief = 1 << iota // neither ended nor being deleted
	briefReady
	briefKin // it has what the members of its owner have in common
)

// kin is what nearly all pods of an owner have in common: it made them.
type kin struct {
	labels     map[string]string
	kind, name string // of the controller
}

func kinOf(p *podorder.Pod) kin { return kin{p.Labels, p.ControllerKind, p.ControllerName} }

// same reports whether both are one thing in memory. What is equal otherwise may be called
// different.
func (k kin) same(o kin) bool {
	return k.kind == o.kind && k.name == o.name && reflect.ValueOf(k.labels).Pointer() == reflect.ValueOf(o.labels).Pointer()
}

// briefOf returns what a pod counts for behind a write. The members are those that it has come to, or
// nil if its owner is as before.
func briefOf(was brief, old, p *podorder.Pod, m *members) brief {
	b := brief(0)
	if p.Active() {
		b |= briefActive
	}
	if p.Ready {
		b |= briefReady
	}
	switch {
	case m == nil:
		if was&briefKin != 0 && kinOf(old).same(kinOf(p)) {
			b |= briefKin
		}
	case !m.known:
		m.kin, m.known = kinOf(p), true
		b |= briefKin
	case m.kin.same(kinOf(p)):
		b |= briefKin
	}
	return b
}

// A podReader reads the pods of an owner for a planner: where they are, and most not at all.
type podReader struct {
	pods  *table[podorder.Pod]
	of    *members
	since bool // whether it matters since when pods are ready

	scratch *podorder.Pod
}

// Scratch lends memory for a pod.
func (r *podReader) Scratch() *podorder.Pod { return r.scratch }

// Len returns how many pods there are.
func (r *podReader) Len() int { return len(r.of.numbers) }

// Count writes what a pod counts for, but not the node of most: only pods of which none is deleted
// are read in this way.
func (r *podReader) Count(i int, p *podorder.Pod) bool {
	b := r.pods.briefs[r.of.numbers[i]]
	if b&(briefActive|briefKin) == briefActive|briefKin && !(r.since && b&briefReady != 0) {
		k := &r.of.kin
		p.Labels, p.ControllerKind, p.ControllerName, p.ControllerUID = k.labels, k.kind, k.name, r.of.owner
		p.DeletionTimestamp, p.Phase, p.Ready, p.ReadySince = time.Time{}, podorder.Running, b&briefReady != 0, time.Time{}
		return true
	}
	o := r.pods.numbered(r.of.numbers[i])
	p.Labels, p.ControllerKind, p.ControllerName, p.ControllerUID = o.Labels, o.ControllerKind, o.ControllerName, o.ControllerUID
	p.DeletionTimestamp, p.Phase, p.Ready, p.ReadySince = o.DeletionTimestamp, o.Phase, o.Ready, o.ReadySince
	p.NodeName = o.NodeName
	return true
}

// Read writes all of a pod.
func (r *podReader) Read(i int, p *podorder.Pod) { *p = *r.pods.numbered(r.of.numbers[i]) }

// active is how many pods of an owner have neither ended nor are being deleted.
func (t *table[T]) active(m *members) (n int) {
	for _, number := range m.numbers {
		if t.briefs[number]&briefActive != 0 {
			n++
		}
	}
	return n
}
