// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

var rolloutsFiles = []file{
	{"kruise-rollouts", "rollouts_deployment_util", rolloutsUtil},
	{"kruise-rollouts", "rollouts_batch_util", rolloutsBatch},
	{"kruise-rollouts", "rollouts_filter_pods", rolloutsFilter},
	{"kruise-rollouts", "rollouts_native_daemonset_util", nativeDaemonSet},
}

// The functions of the deployment util, which OpenKruise Rollouts has copied and changed.
func rolloutsUtil(t *testing.T, r recorded.Recording) answer {
	switch op := read[struct{ Op string }](t, r).Op; op {
	case "find-new", "find-old":
		return rolloutsFind(t, r, op)
	case "set-condition", "remove-condition", "timed-out":
		return rolloutsConditions(t, r, op)
	case "complete", "progressing":
		return same(r, rolloutsProgress(t, r, op))
	default:
		return same(r, rolloutsNumber(t, r, op))
	}
}

func rolloutsNumber(t *testing.T, r recorded.Recording, op string) any {
	in := read[struct {
		MaxSurge, MaxUnavailable, Partition recorded.Loose
		Replicas, NewSet                    int32
		Generation                          int64
		Sets                                []int32
		Status                              struct {
			ObservedGeneration int64
			Replicas, Updated  int32
		}
	}](t, r)
	limit := in.Partition.IntOrPercent
	b := rollout.Resolve(in.Replicas, in.MaxSurge.IntOrPercent, in.MaxUnavailable.IntOrPercent)
	switch op {
	case "limit":
		return partition.Limit(limit, in.Replicas)
	case "max-unavailable":
		return b.Unavailable
	case "new-replicas":
		total := int64(0)
		for _, n := range in.Sets {
			total += int64(n)
		}
		return partition.NewSize(limit, b, total, in.NewSet)
	case "satisfied":
		_, waiting := partition.Progress{
			Generation: in.Generation, ObservedGeneration: in.Status.ObservedGeneration, Partition: limit,
			Replicas: in.Replicas, StatusReplicas: in.Status.Replicas, UpdatedReplicas: in.Status.Updated,
		}.Waiting()
		return !waiting
	}
	return fenceposts(in.Replicas, in.MaxSurge, in.MaxUnavailable)
}

type recordedSet struct {
	Name, Image string
	Created     int64
	Replicas    int32
}

// Sets are told apart by their image alone, which is all that is recorded of a template.
func rolloutsFind(t *testing.T, r recorded.Recording, op string) answer {
	in := read[struct {
		Image string
		Sets  []recordedSet
	}](t, r)
	entries := make([]revision.Entry, len(in.Sets))
	for i, s := range in.Sets {
		entries[i] = revision.Entry{Name: s.Name, Template: revision.Template{ID: s.Image}, CreationTimestamp: seconds(s.Created)}
	}
	newest, old := revision.Split(entries, revision.Template{ID: in.Image})
	all, withPods := []string{}, []string{}
	for _, i := range old {
		all = append(all, in.Sets[i].Name)
		if in.Sets[i].Replicas > 0 {
			withPods = append(withPods, in.Sets[i].Name)
		}
	}
	a := same(r, map[string]any{"all": all, "withPods": withPods})
	if !slices.ContainsFunc(in.Sets, func(s recordedSet) bool { return s.Image != in.Image }) {
		a.policy = "template not noted"
	}
	if op == "find-new" && newest >= 0 {
		a.got = in.Sets[newest].Name
	}
	return a
}

// A condition is one as it is recorded.
type condition struct {
	Reason  string                `json:"reason"`
	Status  kplan.ConditionStatus `json:"status"`
	Type    string                `json:"type"`
	Updated int64                 `json:"updated,omitzero"`
}

func (c condition) of() kplan.Condition {
	return kplan.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, LastUpdateTime: seconds(c.Updated)}
}

func rolloutsConditions(t *testing.T, r recorded.Recording, op string) answer {
	in := read[struct {
		Conditions              []condition
		Set                     condition
		Remove                  string
		Now                     int64
		ProgressDeadlineSeconds *int32
	}](t, r)
	var all []kplan.Condition
	for _, c := range in.Conditions {
		all = append(all, c.of())
	}
	switch op {
	case "timed-out":
		deadline := int32(deploy.NoLimit)
		if in.ProgressDeadlineSeconds != nil {
			deadline = *in.ProgressDeadlineSeconds
		}
		c, _ := deploy.GetCondition(all, deploy.ConditionProgressing)
		return same(r, deploy.TimedOut(&c, deadline, time.Unix(in.Now, 0)))
	case "set-condition":
		all = deploy.SetCondition(all, in.Set.of())
	default:
		all = deploy.RemoveCondition(all, in.Remove)
	}
	got := []condition{}
	for _, c := range all {
		got = append(got, condition{Reason: c.Reason, Status: c.Status, Type: c.Type})
	}
	return same(r, got)
}

type recordedStatus struct {
	ObservedGeneration                  int64
	Replicas, Updated, Ready, Available int32
}

func (s recordedStatus) of() deploy.Status {
	return deploy.Status{
		ObservedGeneration: s.ObservedGeneration, Replicas: s.Replicas, UpdatedReplicas: s.Updated, ReadyReplicas: s.Ready, AvailableReplicas: s.Available,
	}
}

func rolloutsProgress(t *testing.T, r recorded.Recording, op string) bool {
	in := read[struct {
		Replicas                     int32
		Generation                   int64
		Status, OldStatus, NewStatus recordedStatus
	}](t, r)
	if op == "complete" {
		return deploy.Complete(in.Status.of(), in.Replicas, in.Generation)
	}
	return deploy.Progressed(in.OldStatus.of(), in.NewStatus.of())
}

func rolloutsBatch(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Op               string
		All, Stable      int32
		Canary           recorded.Loose
		Batch            int
		Batches          []recorded.Loose
		Replicas         int32
		Current          recorded.Loose
		Desired          recorded.Loose
		Planned, Updated int32
		UpdatedReady     int32
		FailureThreshold recorded.Loose
		RolloutID        string
		Pods             []struct {
			RolloutID   string
			Terminating bool
		}
	}](t, r)
	switch in.Op {
	case "percentage":
		return same(r, partition.StableShare(in.Stable, in.All, in.Canary.IntOrPercent))
	case "batch-replicas":
		return same(r, partition.BatchSize(in.Batches[in.Batch].IntOrPercent, in.Replicas))
	case "current-ge-desired":
		return same(r, partition.AtLeast(in.Current.IntOrPercent, in.Desired.IntOrPercent))
	}
	c := batchrelease.Context{
		RolloutID: in.RolloutID, Planned: in.Planned, Desired: in.Desired.Value(), Updated: in.Updated, UpdatedReady: in.UpdatedReady,
		FailureThreshold: in.FailureThreshold.IntOrPercent, PodCount: int32(len(in.Pods)),
	}
	for _, p := range in.Pods {
		if !p.Terminating && p.RolloutID == in.RolloutID {
			c.Labelled++
		}
	}
	_, waiting := c.Waiting(0)
	return same(r, !waiting)
}

func rolloutsFilter(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Op                                           string
		Desired, DesiredPartition, Planned, Replicas int32
		RolloutID                                    string
		Pods                                         []struct {
			Name, NoNeedUpdateID, RolloutID string
			Terminating, Updated            bool
		}
	}](t, r)
	pods := make([]workload.Pod, len(in.Pods))
	for i, p := range in.Pods {
		pods[i] = workload.Pod{Name: p.Name, Labels: map[string]string{
			workload.LabelNoNeedUpdate: p.NoNeedUpdateID, workload.LabelRolloutID: p.RolloutID, workload.LabelControllerRevision: "old",
		}}
		if p.Updated {
			pods[i].Labels[workload.LabelControllerRevision] = "new"
		}
		if p.Terminating {
			pods[i].DeletionTimestamp = seconds(1)
		}
	}
	names := []string{}
	for _, p := range (batchrelease.RollbackFilter{
		Ordered: in.Op == "filter-ordered", RolloutID: in.RolloutID, UpdateRevision: "new", Planned: in.Planned,
		Desired: in.Desired, Partition: in.DesiredPartition, Replicas: in.Replicas,
	}).Pods(pods) {
		names = append(names, p.Name)
	}
	return same(r, names)
}
