// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// strategy returns the annotation of a partition with limits, which are numbers or
// percentages.
func strategy(partition, surge, unavailable string) string {
	quoted := func(v string) string {
		if strings.HasSuffix(v, "%") {
			return `"` + v + `"`
		}
		return v
	}
	return fmt.Sprintf(`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":%s,"maxSurge":%s},"partition":%s}`,
		quoted(unavailable), quoted(surge), quoted(partition))
}

// aged moves the creation of a ReplicaSet by minutes.
func aged(minutes int) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) {
		rs.CreationTimestamp = t0.Add(time.Duration(minutes-1440) * time.Minute)
	}
}

// The partition bound: the table of limits.
func TestPartitionLimits(t *testing.T) {
	partitions := []string{`0`, `"1%"`, `"20%"`, `"50%"`, `"99%"`, `"100%"`, `"101%"`, `5`, `50`, `"50"`}
	for replicas, limits := range map[int32][]int32{
		1:   {0, 1, 1, 1, 1, 1, 1, 1, 1, 0},
		2:   {0, 1, 1, 1, 1, 2, 1, 2, 2, 0},
		6:   {0, 1, 2, 3, 5, 6, 5, 5, 6, 0},
		100: {0, 1, 20, 50, 99, 100, 99, 5, 50, 0},
	} {
		for i, partition := range partitions {
			s := partitioned(replicas, `{"rollingUpdate":{"maxSurge":1},"partition":`+partition+`}`)
			limit, _, _, _, err := deploy.Limits(s, t0)
			require.NoError(t, err)
			require.Equal(t, limits[i], limit, "%s of %d", partition, replicas)
		}
	}
}

// The worked sizes: after each pass, for four partitions.
func TestPartitionWorkedSizes(t *testing.T) {
	for _, c := range []struct {
		replicas           int32
		surge, unavailable string
		at                 [4]string // 0, 20%, 50%, 100%
	}{
		{6, "25%", "25%", [4]string{"", "2/6 2/4", "3/4 3/3", "5/3 5/0 6/0"}},
		{6, "1", "0", [4]string{"", "1/6 1/5 2/5 2/4", "3/4 3/3", "4/3 4/2 5/2 5/1 6/1 6/0"}},
		{6, "0", "1", [4]string{"1/5", "1/4 2/4", "2/3 3/3", "3/2 4/2 4/1 5/1 5/0 6/0"}},
		{6, "100%", "0", [4]string{"", "2/6 2/4", "3/4 3/3", "6/3 6/0"}},
		{10, "25%", "25%", [4]string{"", "2/10 2/8", "5/8 5/5", "8/5 8/0 10/0"}},
		{3, "25%", "25%", [4]string{"", "1/3 1/2", "2/2 2/1", "3/1 3/0"}},
		{2, "25%", "25%", [4]string{"", "1/2 1/1", "", "2/1 2/0"}},
		{1, "25%", "25%", [4]string{"", "1/1 1/0", "", ""}},
		{1, "0", "1", [4]string{"1/0", "", "", ""}},
	} {
		s := partitioned(c.replicas, "", set(1, c.replicas))
		for i, partition := range []string{"0", "20%", "50%", "100%"} {
			s.Deployment.Partitioned = parsed(t, strategy(partition, c.surge, c.unavailable))
			require.Equal(t, c.at[i], text(runPartition(t, &s, 1000)), "%d of %s/%s at %s", c.replicas, c.surge, c.unavailable, partition)
		}
	}
}

func TestPartitionPlans(t *testing.T) {
	old := func(rs *replicaset.ReplicaSet) { rs.DeletionTimestamp = t0 }
	for _, c := range []struct {
		name, why string
		replicas  int32
		strategy  string
		change    func(*deploy.Deployment)
		sets      []replicaset.ReplicaSet
		want      string
		corrected string // if it differs
		holds     []string
	}{
		{name: "nothing yet", why: "the first ReplicaSet is no rollout, and ignores the partition",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), want: "create web-v2 6"},
		{name: "empty", why: "an old one without pods leaves the new one alone, and the partition is ignored",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 0), set(2, 1)}, want: "web-v2 1->6"},
		{name: "leak", why: "without a surge the new one is created with a pod at partition 0, and an old one goes",
			replicas: 6, strategy: strategy("0", "0", "1"), sets: []replicaset.ReplicaSet{set(1, 6)},
			want: "create web-v2 1, web-v1 6->5", corrected: "create web-v2 0", holds: []string{"web-v2 Partition 1/0"}},
		{name: "only pod", why: "the leak takes the only pod",
			replicas: 1, strategy: strategy("0", "0", "1"), sets: []replicaset.ReplicaSet{set(1, 1)},
			want: "create web-v2 1, web-v1 1->0", corrected: "create web-v2 0"},
		{name: "no limits", why: "without a rollingUpdate nothing may go: the pod of the lower bound is all there is",
			replicas: 6, strategy: `{"partition":"50%"}`, sets: []replicaset.ReplicaSet{set(1, 6)}, want: "create web-v2 1",
			holds: []string{"web-v2 SurgeExhausted 7/6", "web-v1 MinAvailable 6/6"}},
		{name: "at the limit", why: "the rest waits for the next step",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 4), set(2, 2)},
			want: "none", holds: []string{"web-v2 Partition 2/2"}},
		{name: "not ready", why: "held at the limit, it still lacks a pod",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 4), set(2, 2, counts(2, 1))},
			want: "none", holds: []string{"web-v2 Partition 2/2", "web-v2 NotReady 1/2"}},
		{name: "lowered", why: "a partition that is lowered does not shrink the new one",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 3), set(2, 3)},
			want: "none", holds: []string{"web-v2 Partition 3/2"}},
		{name: "restore", why: "the partition leaves 4 to old ones, and 2 are missing: the largest gets them",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 1), set(2, 2), set(3, 1, aged(0))},
			want: "web-v3 1->3", holds: []string{"web-v2 Partition 2/2"}},
		{name: "restore the largest", why: "not the oldest",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 1), set(3, 2), set(2, 2)},
			want: "web-v3 2->3", holds: []string{"web-v2 Partition 2/2"}},
		{name: "no restoration", why: "there is no old one to give pods to",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 0), set(2, 6)}, want: "none"},
		{name: "unavailable first", why: "pods that serve nobody go first, as far as the partition no longer needs them",
			replicas: 6, strategy: strategy("50%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 4, counts(4, 1)), set(2, 3)},
			want: "web-v1 4->3", holds: []string{"web-v2 Partition 3/3"}},
		{name: "minimum", why: "no old pod may go while those of the new one are missing",
			replicas: 6, strategy: strategy("50%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 5), set(2, 3, counts(3, 0))},
			want: "none", holds: []string{"web-v2 Partition 3/3", "web-v1 MinAvailable 5/5"}},
		{name: "minimum of wanted pods", why: "whether the old pods are available or not",
			replicas: 6, strategy: strategy("50%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 5, counts(5, 3)), set(2, 3, counts(3, 0))},
			want: "none", holds: []string{"web-v2 Partition 3/3", "web-v1 MinAvailable 3/5"}},
		{name: "too few", why: "what is left at the end of the removal is held by availability",
			replicas: 6, strategy: strategy("50%", "50%", "25%"), sets: []replicaset.ReplicaSet{set(1, 6), set(2, 3, counts(3, 0))},
			want: "web-v1 6->5", holds: []string{"web-v2 Partition 3/3", "web-v1 MinAvailable 5/5"}},
		{name: "surplus", why: "a new one larger than the Deployment is cut to it, whatever the partition",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 2), set(2, 8)}, want: "web-v2 8->6"},
		{name: "status ahead", why: "one old set that reports too much ends the removal; sets before it keep what was planned",
			replicas: 6, strategy: strategy("100%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 3, counts(3, 2)), set(3, 1, counts(2, 2)), set(2, 4, aged(9))},
			want: "web-v1 3->2", corrected: "web-v1 3->1, web-v3 1->0", holds: []string{"web-v2 SurgeExhausted 8/8", "web-v3 StatusAhead 2/1"}},
		{name: "one being deleted", why: "it does not belong to the Deployment any more",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), sets: []replicaset.ReplicaSet{set(1, 6, old), set(2, 1)}, want: "web-v2 1->6"},
		{name: "deleting", why: "only the status is kept up",
			replicas: 6, strategy: strategy("20%", "25%", "25%"), change: func(d *deploy.Deployment) { d.DeletionTimestamp = t0 },
			sets: []replicaset.ReplicaSet{set(1, 6)}, want: "none", holds: []string{" Deleting 0/0"}},
		{name: "history", why: "history is not cleaned up by partition",
			replicas: 2, strategy: strategy("100%", "25%", "25%"), change: func(d *deploy.Deployment) {
				d.RevisionHistoryLimit = ptr.To(int32(0))
				d.Status = deploy.Status{Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2, ObservedGeneration: 2}
			}, sets: []replicaset.ReplicaSet{set(1, 0), set(2, 2)}, want: "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			s := partitioned(c.replicas, c.strategy, c.sets...)
			if c.change != nil {
				c.change(&s.Deployment)
			}
			p := reconcile(t, s)
			require.Equal(t, c.want, sizes(p), c.why)
			if c.holds != nil {
				require.Equal(t, c.holds, holds(p), c.why)
			}
			p, err := deploy.Reconcile(s, t0, deploy.Options{Repair: quirk.All})
			require.NoError(t, err)
			if c.corrected == "" {
				c.corrected = c.want
			}
			require.Equal(t, c.corrected, sizes(p), c.why)
		})
	}
}

// Scaling by partition and its example: from 6 to 12 replicas in the pause of 20%.
func TestPartitionScaling(t *testing.T) {
	six := sized("6", "8")
	for _, c := range []struct {
		name, why       string
		replicas        int32
		paused          bool
		sets            []replicaset.ReplicaSet
		want, corrected string
		failed          bool
	}{
		{name: "up", why: "the shares stay, and the new one is then beyond its limit of 3",
			replicas: 12, sets: []replicaset.ReplicaSet{set(1, 4, six), set(2, 2, six)},
			want: "web-v1 4->8, web-v2 2->4", corrected: "web-v1 4->9, web-v2 2->3"},
		{name: "beyond", why: "a new one that is beyond its limit already keeps what it has",
			replicas: 7, sets: []replicaset.ReplicaSet{set(1, 1, six), set(2, 5, six)},
			want: "web-v2 5->6", corrected: "web-v1 1->2"},
		{name: "down", why: "the surge is not used",
			replicas: 3, sets: []replicaset.ReplicaSet{set(1, 4, six), set(2, 2, six)}, want: "web-v1 4->2, web-v2 2->1"},
		{name: "down, unavailable first", why: "2 of the old pods serve nobody, then one goes by share, which for the old one is now of 4",
			replicas: 3, sets: []replicaset.ReplicaSet{set(1, 4, six, counts(4, 2)), set(2, 2, six)},
			want: "web-v1 4->2, web-v2 2->1"},
		{name: "zero", why: "everything goes",
			replicas: 0, sets: []replicaset.ReplicaSet{set(1, 4, six, counts(4, 1)), set(2, 2, six)}, want: "web-v1 4->0, web-v2 2->0"},
		{name: "alone", why: "the only active one gets all",
			replicas: 9, sets: []replicaset.ReplicaSet{set(1, 6, six), set(2, 0)}, want: "web-v1 6->9"},
		{name: "status ahead", why: "upstream ends the pass with an error",
			replicas: 3, sets: []replicaset.ReplicaSet{set(1, 4, six, counts(5, 5)), set(2, 2, six)},
			want: "none", corrected: "web-v1 4->2, web-v2 2->1", failed: true},
		{name: "paused", why: "a paused partition keeps its sizes as long as they sum up",
			replicas: 6, paused: true, sets: []replicaset.ReplicaSet{set(1, 4, six), set(2, 2, six)}, want: "none"},
		{name: "paused with surge", why: "what is beyond the replicas goes",
			replicas: 6, paused: true, sets: []replicaset.ReplicaSet{set(1, 6, six), set(2, 2, six)},
			want: "web-v1 6->4"},
		{name: "paused without a new one", why: "none is created",
			replicas: 6, paused: true, sets: []replicaset.ReplicaSet{set(1, 6, six)}, want: "none"},
		{name: "saturated", why: "beside a new one that serves alone, old ones go",
			replicas: 6, paused: true, sets: []replicaset.ReplicaSet{set(1, 2, six), set(2, 6, six)}, want: "web-v1 2->0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			s := partitioned(c.replicas, strategy("20%", "25%", "25%"), c.sets...)
			s.Deployment.Partitioned.Paused = c.paused
			p := reconcile(t, s)
			require.Equal(t, c.want, sizes(p), c.why)
			require.Equal(t, c.failed, p.ExtraStatus == nil)
			if c.failed {
				require.Equal(t, s.Deployment.Status, p.Status, "the stored status stays")
				require.Equal(t, t0.Add(2*time.Second), p.RecheckAt)
			}
			p, err := deploy.Reconcile(s, t0, deploy.Options{Repair: quirk.All})
			require.NoError(t, err)
			if c.corrected == "" {
				c.corrected = c.want
			}
			require.Equal(t, c.corrected, sizes(p), c.why)
		})
	}
}

// quirk.ScalingTakesAvailable: replicas are shared out without the surge, even if the pods of the surge are not
// available, so that others must stay.
func TestPartitionScalingKeepsAvailable(t *testing.T) {
	six, twelve := sized("6", "8"), sized("12", "15")
	for _, c := range []struct {
		why             string
		replicas        int32
		unavailable     string
		sets            []replicaset.ReplicaSet
		want, corrected string
	}{
		{"paused, new pods go instead", 6, "0", []replicaset.ReplicaSet{set(1, 6, six), set(2, 2, six, counts(2, 0))},
			"web-v1 6->4", "web-v2 2->0"},
		{"as many as must", 6, "1", []replicaset.ReplicaSet{set(1, 6, six), set(2, 3, six, counts(3, 0))},
			"web-v1 6->3", "web-v1 6->5, web-v2 3->1"},
		{"scaled down, the oldest keep most", 4, "0", []replicaset.ReplicaSet{set(0, 3, six), set(1, 3, six), set(2, 3, six, counts(3, 0))},
			"web-v0 3->0, web-v1 3->2, web-v2 3->2", "web-v1 3->1, web-v2 3->0"},
		{"no more are available than there are", 6, "0", []replicaset.ReplicaSet{set(1, 6, six, counts(6, 3)), set(2, 3, six, counts(3, 1))},
			"web-v1 6->3", "web-v1 6->3"},
		{"an available pod never goes for another, and each set gets back what it had", 9, "0",
			[]replicaset.ReplicaSet{set(0, 4, twelve), set(1, 4, twelve), set(2, 4, twelve, counts(4, 0)), set(3, 3, twelve, counts(3, 1))},
			"web-v3 3->1, web-v0 4->2, web-v1 4->3, web-v2 4->3", "web-v3 3->1, web-v2 4->0"},
		{"of two sets that could give, the second gives what is still missing", 9, "0",
			[]replicaset.ReplicaSet{set(0, 4, twelve), set(1, 4, twelve), set(2, 4, twelve, counts(4, 0)), set(3, 4, twelve, counts(4, 0))},
			"web-v3 4->0, web-v0 4->3, web-v1 4->3, web-v2 4->3", "web-v3 4->0, web-v2 4->1"},
		{"of sets that were scaled from different sizes two give, the new one first", 14, "0",
			[]replicaset.ReplicaSet{set(1, 8, sized("40", "40")), set(2, 1, sized("10", "10")), set(3, 4, sized("10", "10"), counts(4, 0))},
			"web-v1 8->5, web-v3 4->7, web-v2 1->2", "web-v3 4->5"},
		{"there is nothing to repair", 6, "0", []replicaset.ReplicaSet{set(1, 6, six), set(2, 2, six)},
			"web-v1 6->4", "web-v1 6->4"},
	} {
		s := partitioned(c.replicas, strategy("20%", "25%", c.unavailable), c.sets...)
		s.Deployment.Partitioned.Paused = true
		require.Equal(t, c.want, sizes(reconcile(t, s)), c.why)
		require.Equal(t, c.corrected, sizes(reconcileWith(t, s, corrected)), c.why)
	}
}

// A set without pods is none to share with, whatever it was last scaled for.
func TestPartitionScalingLeavesIdle(t *testing.T) {
	six := sized("6", "8")
	s := partitioned(6, strategy("0", "25%", "0"), set(0, 0, sized("9", "12")), set(1, 4, six), set(3, 4, six), set(2, 0, sized("9", "12"), numbered("4")))
	s.Deployment.Partitioned.Paused = true
	require.Equal(t, "web-v1 4->3, web-v3 4->3, annotate deployment", actions(reconcileWith(t, s, corrected)))
}

// What a partition reports: what a pass reports.
func TestPartitionReports(t *testing.T) {
	s := partitioned(6, strategy("20%", "25%", "25%"), set(1, 6))
	p := reconcile(t, s)
	require.Equal(t, &partition.ExtraStatus{ExpectedUpdatedReplicas: 2}, p.ExtraStatus)
	require.Equal(t, deploy.AnnotateDeployment{
		Set:    map[string]string{partition.AnnotationExtraStatus: `{"expectedUpdatedReplicas":2}`},
		Reason: reason.ExtraStatus,
	}, p.Actions[len(p.Actions)-1])
	require.Equal(t, []kplan.Event{
		{Type: "Normal", Reason: "ScalingReplicaSet", Message: "Scaled up replica set web-v2 to 2"},
		{Action: 2, Type: "Normal", Reason: "ScalingReplicaSet", Message: "Scaled down replica set web-v1 to 5 from 6"},
	}, p.Events)
	require.Equal(t, rollout.Budget{Replicas: 6, Surge: 2, Unavailable: 1}, p.Budget)
	require.Equal(t, t0.Add(2*time.Second), p.RecheckAt)

	execute(t, &s, p)
	settle(&s)
	p = reconcile(t, s)
	require.Equal(t, &partition.ExtraStatus{UpdatedReadyReplicas: 2, ExpectedUpdatedReplicas: 2}, p.ExtraStatus)
	require.Equal(t, "Scaled down replica set web-v1 to 4 from 5", p.Events[0].Message)
	runPartition(t, &s, 1000)
	p = reconcile(t, s)
	require.Empty(t, p.Actions)
	require.Zero(t, p.RecheckAt, "the partition is reached")
	require.Equal(t, "MinimumReplicasAvailable", reasonOf(p, "Available"))

	grown := reconcile(t, partitioned(6, strategy("50%", "25%", "25%"), set(1, 4), set(2, 2)))
	require.Equal(t, "Scaled up replica set web-v2 to 3 from 2", grown.Events[0].Message)
	leak := reconcile(t, partitioned(6, strategy("0", "0", "1"), set(1, 6)))
	require.Equal(t, "Scaled down replica set web-v1 to 5 from 6", leak.Events[0].Message, "the pod of the lower bound has no event")

	data, err := json.Marshal(grown)
	require.NoError(t, err)
	var back deploy.Plan
	require.NoError(t, json.Unmarshal(data, &back))
	requireEqual(t, "a plan survives JSON", grown, back)
}

// Ownership by partition: of the ReplicaSets that match, those that it controls are the Deployment's,
// and nothing is adopted or released.
func TestPartitionClaims(t *testing.T) {
	labelled := func(app, owner string) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) { rs.Labels, rs.ControllerUID = map[string]string{"app": app}, owner }
	}
	s := partitioned(6, strategy("50%", "25%", "25%"),
		set(1, 4, labelled("web", "web-uid")), set(3, 3, labelled("web", "")), set(4, 3, labelled("shop", "web-uid")), set(2, 2, labelled("web", "web-uid")))
	s.Deployment.Selector = &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	p := reconcile(t, s)
	require.Equal(t, "web-v2 2->3", sizes(p))
	require.Equal(t, int32(6), p.Status.Replicas)
	require.Len(t, p.Actions, 2, "the size, and the extra status")

	s.Deployment.Selector = &selector.LabelSelector{}
	p = reconcile(t, s)
	require.Empty(t, p.Actions)
	require.Equal(t, []string{" SelectingAll 0/0"}, holds(p))
}

// The condition Progressing is that of a plain Deployment, but for pauses: the
// Deployment's own pause is how it is controlled.
func TestPartitionProgress(t *testing.T) {
	s := partitioned(6, strategy("20%", "25%", "25%"), set(1, 6))
	s.Deployment.ProgressDeadlineSeconds = ptr.To(int32(1))
	p := reconcile(t, s)
	require.Equal(t, "ReplicaSetUpdated", reasonOf(p, "Progressing"))
	require.Equal(t, t0.Add(time.Second+1), p.RecheckAt, "the deadline comes before the next look")

	s = partitioned(6, strategy("20%", "25%", "25%"), set(1, 4), set(2, 2))
	s.Deployment.ProgressDeadlineSeconds = ptr.To(int32(600))
	s.Deployment.Partitioned.Paused = true
	require.Equal(t, "FoundNewReplicaSet", reasonOf(reconcile(t, s), "Progressing"))
}

func reasonOf(p deploy.Plan, condition string) string {
	for _, c := range p.Status.Conditions {
		if c.Type == condition {
			return c.Reason
		}
	}
	return ""
}

// Upstream counts the pods that it has cleaned up in a scaling pass.
func TestPartitionUnavailable(t *testing.T) {
	s := partitioned(3, strategy("20%", "25%", "25%"), set(1, 4, sized("6", "8"), counts(4, 2)), set(2, 2, sized("6", "8")))
	p := reconcile(t, s)
	require.Equal(t, int32(0), p.Status.UnavailableReplicas, "4 + 2 - 2 cleaned up - 4 available")
}

// Numbers in annotations are read leniently, as OpenKruise reads them.
func TestPartitionAnnotations(t *testing.T) {
	s := partitioned(6, strategy("20%", "25%", "25%"), set(1, 4, sized("+6", "8")), set(2, 2, sized("4294967302", "8")))
	require.Equal(t, "none", sizes(reconcile(t, s)))
	require.NotContains(t, holds(reconcile(t, s)), " ScalingFirst 0/6")
	s = partitioned(6, strategy("20%", "25%", "25%"), set(1, 4, sized("-1", "8")), set(2, 2))
	require.Contains(t, holds(reconcile(t, s)), " ScalingFirst 0/6")
	s = partitioned(6, strategy("20%", "25%", "25%"), set(1, 4, sized("4294967298", "8")), set(2, 2))
	require.Contains(t, holds(reconcile(t, s)), " ScalingFirst 0/6", "it is cut to 2, whatever the width of int")
}

func TestPartitionKeepsStatus(t *testing.T) {
	s := partitioned(3, strategy("20%", "25%", "25%"), set(1, 4, sized("6", "8"), counts(5, 5)), set(2, 2, sized("6", "8")))
	s.Deployment.Status = deploy.Status{
		Replicas: 7, CollisionCount: ptr.To(int32(2)), TerminatingReplicas: ptr.To(int32(1)), ObservedGeneration: 1,
		Conditions: []kplan.Condition{{Type: "Available", Status: "True"}},
	}
	p := reconcile(t, s)
	requireEqual(t, "as stored", s.Deployment.Status, p.Status)
	require.Nil(t, p.ExtraStatus)
	require.Contains(t, holds(p), "web-v1 StatusAhead 5/4")
}

func TestPartitionInvalid(t *testing.T) {
	s := partitioned(6, `{"rollingStyle":"Canary","rollingUpdate":{"maxSurge":-1,"maxUnavailable":"-1%"},"partition":-4}`)
	s.Deployment.Strategy = "Blue"
	_, err := deploy.Reconcile(s, t0, deploy.Options{})
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.Equal(t, strings.Join([]string{
		`Deployment.Partitioned.RollingStyle: "Canary": must not be Canary: its new pods belong to another Deployment`,
		`Deployment.Partitioned.RollingUpdate.MaxSurge: "-1": must not be negative`,
		`Deployment.Partitioned.RollingUpdate.MaxUnavailable: "-1%": must not be negative`,
		`Deployment.Strategy: "Blue": must be RollingUpdate or Recreate`,
	}, "\n"), err.Error())
}
