// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// Where the pods cannot be told, the status stays as it is, as in a plan.
func TestObserveUnseen(t *testing.T) {
	stored := replicaset.Status{ObservedGeneration: 2, Replicas: 7}
	withLabel := func(key, value string) replicaset.Snapshot {
		labels := map[string]string{key: value}
		rs := web(1, func(rs *replicaset.ReplicaSet) {
			rs.Status, rs.TemplateLabels, rs.Selector = stored, labels, &selector.LabelSelector{MatchLabels: labels}
		})
		return replicaset.Snapshot{ReplicaSet: rs, Pods: []podorder.Pod{pod("a", func(p *podorder.Pod) { p.Labels = labels })}}
	}
	stale := withLabel("app", "web")
	stale.Written, stale.Read = replicaset.Versions{Pods: "9"}, replicaset.Versions{Pods: "8"}
	for _, c := range []struct {
		why  string
		s    replicaset.Snapshot
		want int32
	}{
		{"the pod is seen", withLabel("app", "web"), 1},
		{"the cache is older than what was written", stale, 7},
		{"no label has this key, though the template and the pod have it as well", withLabel("a b", "web"), 7},
		{"no label has this value", withLabel("app", "a b"), 7},
	} {
		plan, err := replicaset.Reconcile(c.s, t0, replicaset.Options{})
		require.NoError(t, err, c.why)
		require.Equal(t, c.want, plan.Status.Replicas, c.why)
		next, err := replicaset.Observe(c.s, t0, replicaset.Options{})
		require.NoError(t, err, c.why)
		require.Equal(t, plan.Status, next, c.why)
		next, err = replicaset.ObserveFrom(c.s, reader{pods: c.s.Pods}, t0, replicaset.Options{})
		require.NoError(t, err, c.why)
		require.Equal(t, plan.Status, next, c.why)
	}
}

// Pods that cannot be told apart are an error of a plan alone, and of none of pods that are said to
// be distinct.
func TestObserveTwice(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(2), Pods: []podorder.Pod{pod("a"), pod("a")}}
	_, err := replicaset.Reconcile(s, t0, replicaset.Options{})
	require.ErrorIs(t, err, kplan.ErrInvalid)
	next, err := replicaset.Observe(s, t0, replicaset.Options{})
	require.NoError(t, err)
	require.EqualValues(t, 2, next.Replicas)

	s.Distinct = true
	plan, err := replicaset.Reconcile(s, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Equal(t, next, plan.Status)
}
