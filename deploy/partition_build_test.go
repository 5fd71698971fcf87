// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// traceSizes is how many pods of the new and of old templates are wanted.
type traceSizes struct {
	New int32 `json:"new"`
	Old int32 `json:"old"`
}

// partitioned returns the snapshot of the Deployment web under a partition.
func partitioned(replicas int32, strategy string, sets ...replicaset.ReplicaSet) deploy.Snapshot {
	d := web(replicas)
	d.Strategy, d.Paused = deploy.Recreate, true
	d.MaxSurge, d.MaxUnavailable = rollout.IntOrPercent{}, rollout.IntOrPercent{}
	if strategy != "" {
		p, err := deploy.ParsePartitioned(strategy)
		if err != nil {
			panic(err)
		}
		d.Partitioned = &p
	}
	return snapshot(d, sets...)
}

// partitionSizes returns how many pods of the new and of old templates are wanted.
func partitionSizes(s deploy.Snapshot) (sizes traceSizes) {
	for _, rs := range s.ReplicaSets {
		if rs.Template.Same(s.Deployment.Template) {
			sizes.New += *rs.Replicas
		} else {
			sizes.Old += *rs.Replicas
		}
	}
	return sizes
}

// runPartition makes passes until one has nothing to do, or most have changed sizes,
// and returns the sizes after each that did.
func runPartition(t testing.TB, s *deploy.Snapshot, most int) []traceSizes {
	t.Helper()
	trace, before := []traceSizes{}, partitionSizes(*s)
	for range 1000 {
		p := reconcile(t, *s)
		if p.Empty() || len(trace) == most {
			return trace
		}
		execute(t, s, p)
		settle(s)
		if now := partitionSizes(*s); now != before {
			trace, before = append(trace, now), now
		}
	}
	t.Fatal("no end after 1000 passes")
	return nil
}

// text returns sizes such as "2/6 2/4".
func text(trace []traceSizes) string {
	var parts []string
	for _, s := range trace {
		parts = append(parts, fmt.Sprintf("%d/%d", s.New, s.Old))
	}
	return strings.Join(parts, " ")
}
