// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// StableServicePinnedForEver: the stable Service is not pinned before step 1 if all 6 pods have been updated, or
// are about to be: by the batch that is released, by the status, or by the partition.
func TestPinsUnlessCovered(t *testing.T) {
	batches := func(last rollout.IntOrPercent, partition *int32) *batchrelease.Release {
		br := release(workload.Partition)
		br.ReleasePlan.Batches = []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}, {CanaryReplicas: last}}
		br.ReleasePlan.BatchPartition = partition
		return &br
	}
	full := rollout.Int(6)
	first := batches(full, ptr.To(int32(0)))
	first.ReleasePlan.Batches[0].CanaryReplicas = full
	for _, c := range []struct {
		why       string
		br        *batchrelease.Release
		updated   int32
		partition rollout.IntOrPercent
		pins      bool
	}{
		{"no BatchRelease", nil, 6, full, true},
		{"no batch is released", batches(full, nil), 0, unset, true},
		{"the first", batches(full, ptr.To(int32(0))), 0, unset, true},
		{"the first, which is full", first, 0, unset, false},
		{"one that is full", batches(rollout.Percent(100), ptr.To(int32(1))), 0, unset, false},
		{"one short of it", batches(rollout.Int(5), ptr.To(int32(1))), 0, unset, true},
		{"more than all", batches(rollout.Int(7), ptr.To(int32(1))), 0, unset, false},
		{"one that is not there", batches(full, ptr.To(int32(2))), 0, unset, true},
		{"nor before the first", batches(full, ptr.To(int32(-1))), 0, unset, true},
		{"all pods are updated", batches(full, nil), 6, unset, false},
		{"all but one", batches(full, nil), 5, unset, true},
		{"the partition is full", batches(full, nil), 0, full, false},
		{"the partition leaves one", batches(full, nil), 0, rollout.Int(5), true},
	} {
		first := step(rollout.Percent(20), -1)
		first.Traffic = rollout.Percent(20)
		r := partitioned(deployment, first, step(rollout.Percent(100), 0))
		r.Canary.TrafficRoutings = routings(1)
		s := begun(kruise.StateBeforeUpgrade, r)
		s.Traffic.Stable = &traffic.Service{Name: "svc", Selector: map[string]string{"app": "web"}}
		s.Traffic.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{rule(nil, "svc")}}
		s.Workload.Annotations[partition.AnnotationStrategy] = partition.Strategy{Partition: c.partition}.Text()
		if s.BatchRelease = c.br; c.br != nil {
			c.br.Status.Current.UpdatedReplicas = c.updated
		}
		s.Rollout.Status.Sub.Replicas = c.updated
		pins := func(repair quirk.Set) bool {
			return strings.Contains(reconcile(t, s, kruise.Options{Repair: repair}).String(), "PinTraffic")
		}
		require.True(t, pins(0), "upstream always does: %s", c.why)
		require.Equal(t, c.pins, pins(quirk.StableServicePinnedForEver), c.why)
	}
}
