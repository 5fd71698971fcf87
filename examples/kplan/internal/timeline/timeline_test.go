// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

var start = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func after(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// example is a rollout of one pod: a new one starts for 10 seconds, then the old one goes,
// which takes 5, and after 60 seconds all is over.
func example(name string) *Timeline {
	t := &Timeline{
		Kind: "Deployment", Namespace: "shop", Name: name, Done: true, Verdict: "Complete after 1m", Facts: []string{"1 replica"},
		Columns: []Column{{Name: "rev 1", Ready: true}, {Name: "rev 2", Ready: true}, {Name: "total"}},
		Steps: []Step{
			{0, []string{"1/1", "-", "2"}, []Occurrence{{What: "rev 2: create with 1", Why: "the template is new"}}},
			{0, []string{"1/1", "0/1", "2"}, []Occurrence{{What: "deployment: rev 2"}}},
			{10 * time.Second, []string{"0/0", "1/1", "1"}, []Occurrence{{What: "rev 1: 1 -> 0", Why: "enough are available"}}},
			{time.Minute, []string{"0/0", "1/1", "1"}, []Occurrence{{What: "complete", Why: "all pods are new"}}},
		},
		Labels: map[string]string{name + "-old": "rev 1"},
	}
	ready := chart.Series{Name: "ready"}
	ready.Add(0, 1)
	ready.Add(10*time.Second, 1)
	t.Chart = &chart.Chart{Pods: []chart.Series{ready}, Bounds: []chart.Bound{{Name: "at most 2", Value: 2}}, End: time.Minute}
	r := &record.History{Start: start}
	pod := func(suffix, node string) *podorder.Pod {
		return &podorder.Pod{Name: name + suffix + "-x", UID: suffix, ControllerKind: "ReplicaSet", ControllerName: name + suffix, NodeName: node}
	}
	r.Saw(start, pod("-old", "node-1"), record.Ready)
	r.Saw(start, pod("-new", ""), record.Unscheduled)
	r.Saw(after(2), pod("-new", "node-1"), record.Scheduled)
	r.Saw(after(10), pod("-new", "node-1"), record.Ready)
	r.Saw(after(10), pod("-old", "node-1"), record.Terminating)
	r.Saw(after(15), pod("-old", "node-1"), record.Gone)
	status := func(available int32, progressing kplan.ConditionStatus) deploy.Deployment {
		return deploy.Deployment{Name: name, UID: "d", Replicas: new(int32(1)), Status: deploy.Status{
			AvailableReplicas: available, Conditions: []kplan.Condition{{Type: "Progressing", Status: progressing, Reason: "R"}},
		}}
	}
	r.Deployments = []record.Moment[deploy.Deployment]{
		{Time: start, Object: status(1, kplan.ConditionTrue)}, {Time: after(30), Object: status(2, kplan.ConditionFalse)},
	}
	t.History = r
	return t
}

func written(t *testing.T, write func(*strings.Builder) error) string {
	var b strings.Builder
	require.NoError(t, write(&b))
	return b.String()
}
