// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"github.com/kplan-go/kplan/internal/lineup"
	"github.com/kplan-go/kplan/podorder"
)

// stands reports whether a line knows the order of victims.
func (o *Options) stands() bool {
	return (o.Order.Chain == "" || o.Order.Chain == podorder.Current) && o.Order.Priority == "" && o.Order.Stages == nil &&
		o.Order.Protected == nil && !o.Spread && o.Dialect == ""
}

// front returns those pods alone among which are the first n to be deleted, and the neighbours
// on their nodes. It is false if only all pods together tell.
func (t *Tracker) front(in *input, c *counts, n int, at int64) ([]podorder.Pod, podorder.Neighbours, bool) {
	if !in.opts.stands() || t.twins.Pairs > 0 || c.adopt > 0 || c.release > 0 || n <= 0 || 8*n > t.pods.Len() {
		return nil, nil, false
	}
	if t.line.Stale() {
		t.line = lineup.New(&t.pods, in.related(nil), func(i int) bool { return t.records.At(i).state.role == roleActive }, in.now, at)
	}
	return t.line.Front(&t.pods, n, in.now, at)
}
