// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A quirkCase is an input that shows a quirk: what the plan does, or what see makes of
// it, by default, with the quirk alone repaired, and with all.
type quirkCase struct {
	quirk         quirk.Set
	why           string
	s             deploy.Snapshot
	see           func(deploy.Plan) string // actions if nil
	before, after string
	all           string // after, if unset
}

// full is a ReplicaSet that was last scaled for a maximum, which was all that was desired.
func full(n int, size int32, max int32, change ...func(*replicaset.ReplicaSet)) replicaset.ReplicaSet {
	return set(n, size, append(change, sized(fmt.Sprint(max), fmt.Sprint(max)))...)
}

func quirkCases() []quirkCase {
	return append(append(scalingCases(), otherCases()...), append(reportCases(), partitionCases()...)...)
}

func scalingCases() []quirkCase {
	return []quirkCase{
		{quirk.StaleAnnotationBlocksRollout, "a stale annotation on a set of the right size blocks all rollouts",
			snapshot(web(4, limits(0, 1)), full(1, 4, 5), set(2, 0)), nil,
			"", "annotate web-v1", ""},
		{quirk.RecreateStuckAfterScaling, "Recreate with two active sets and a scale request is stuck",
			snapshot(web(5, recreate), full(1, 2, 3), full(2, 2, 3)), nil,
			"", "web-v1 2->0", ""},
		{quirk.ProductsWrapAround, "the product of a large scale-up wraps around and old pods are killed",
			snapshot(web(100000, limits(0, 1)), full(1, 45000, 95000), full(2, 50000, 95000)), nil,
			"web-v2 50000->97842, web-v1 45000->2158", "web-v2 50000->52632, web-v1 45000->47368", ""},
		{quirk.SumsWrapAround, "replicas and surge wrap around, and everything goes",
			snapshot(web(math.MaxInt32, limits(1, 0)), full(1, 3, 10), full(2, 2, 10)), nil,
			"web-v1 3->0", "web-v1 3->2147483647, web-v2 2->0", "web-v1 3->1288490188, web-v2 2->858993459"},
		{quirk.SumsWrapAround, "a limit wraps around, and available pods may go for it",
			snapshot(web(math.MaxInt32, func(d *deploy.Deployment) { d.MaxSurge, d.MaxUnavailable = rollout.Int(0), rollout.Percent(101) }), set(2, math.MaxInt32)),
			func(p deploy.Plan) string { return fmt.Sprint(p.Budget.Unavailable) }, "-2126008813", "2147483647", ""},
		{quirk.ScalingLosesShares, "scaled up, an old set shrinks",
			snapshot(web(10, limits(0, 10)), full(1, 3, 20), full(2, 4, 20)), nil,
			"web-v2 4->8, web-v1 3->2", "web-v2 4->6, web-v1 3->4", ""},
		{quirk.ScalingLosesShares, "sets resized by hand are turned upside down",
			snapshot(web(10, limits(0, 1)), full(1, 8, 5), full(2, 4, 5)), nil,
			"web-v1 8->2, web-v2 4->8", "web-v1 8->7, web-v2 4->3", ""},
		{quirk.ScalingLosesShares, "what the first set cannot give is lost",
			snapshot(web(1, limits(0, 1), paused, template("v3")), full(1, 2, 1), full(2, 2, 1), full(3, 2, 1)), nil,
			"web-v1 2->0", "web-v1 2->0, web-v2 2->0, web-v3 2->1", ""},
		{quirk.ScalingLosesShares, "all that rounding leaves over goes to the old set",
			snapshot(web(11, limits(3, 2)), set(1, 8, sized("10", "13")), set(2, 2, sized("10", "13"))), nil,
			"web-v1 8->12, annotate web-v2", "web-v1 8->11, web-v2 2->3", ""},
		{quirk.ScalingLosesShares, "a scale request after an interrupted one does not know where it started",
			snapshot(web(15, limits(0, 1)), full(1, 12, 20), full(2, 4, 10)), nil,
			"web-v1 12->11, annotate web-v2", "web-v1 12->9, web-v2 4->6", ""},
		{quirk.ScalingLosesShares, "what shrinks goes before a larger set that grows, so that no prefix wants more pods",
			snapshot(web(14, limits(0, 1)), full(1, 9, 10), full(2, 8, 20)), nil,
			"web-v1 9->8, web-v2 8->6", "web-v2 8->4, web-v1 9->10", ""},
		{quirk.ScalingKeepsUnavailable, "the new set loses an available pod, and the old one keeps one that is not",
			snapshot(web(2, limits(0, 1)), full(1, 1, 3, counts(1, 0)), full(2, 2, 3)), nil,
			"web-v2 2->1, annotate web-v1", "annotate web-v2, web-v1 1->0", ""},
		{quirk.ScalingKeepsUnavailable, "an old set does, and another one",
			snapshot(web(4, limits(0, 1), template("v3")), full(1, 3, 5), full(2, 1, 5, counts(1, 0)), full(3, 1, 5)), nil,
			"web-v1 3->2, annotate web-v2, annotate web-v3", "annotate web-v1, web-v2 1->0, annotate web-v3", ""},
		{quirk.ScalingKeepsUnavailable, "paused, with less surge than before",
			snapshot(web(3, limits(0, 1), paused), full(1, 1, 4, counts(1, 0)), full(2, 3, 4)), nil,
			"web-v2 3->2, annotate web-v1", "annotate web-v2, web-v1 1->0", ""},
		{quirk.LenientSizeAnnotations, "saturation is read from an annotation that is no size",
			snapshot(web(3, limits(0, 1)), set(1, 1, sized("4", "4")), set(2, 3, sized("+3", "4"))), nil,
			"web-v1 1->0", "web-v2 3->2, annotate web-v1", ""},
		{quirk.ScaleFromZeroStartsYoungest, "the youngest set is started, not the one that ran last",
			snapshot(web(5, paused, template("v9")), set(1, 0, numbered("3")), set(2, 0, numbered("2"))), nil,
			"web-v2 0->5", "web-v1 0->5", ""},
		{quirk.ScaleFromZeroStartsYoungest, "of two with one revision still the youngest",
			snapshot(web(5, paused, template("v9")), set(1, 0, numbered("3")), set(2, 0, numbered("3")), set(3, 0, numbered("1"))), nil,
			"web-v3 0->5", "web-v2 0->5", ""},
		{quirk.ScaleFromZeroStartsYoungest, "revision 0 is one, and what is no number is none",
			snapshot(web(5, paused, template("v9")), set(1, 0, numbered("0")), set(2, 0, numbered("x"))), nil,
			"web-v2 0->5", "web-v1 0->5", ""},
	}
}

func otherCases() []quirkCase {
	long := strings.Repeat("x", 249) + ".xyz"
	empty := func(d *deploy.Deployment) { d.Selector = &selector.LabelSelector{MatchLabels: map[string]string{}} }
	return []quirkCase{
		{quirk.StatusAheadStopsCleanup, "one old set whose status is ahead stops the cleanup of all",
			snapshot(web(5, limits(2, 1)), set(1, 3, counts(5, 5)), set(2, 2, numbered("4")), set(3, 2, counts(2, 0))), nil,
			"", "web-v3 2->0, web-v1 3->2", ""},
		{quirk.ExcessAvailableCounts, "pods of the new set that are about to go count as available",
			snapshot(web(10, limits(0, 2)), set(1, 7), set(2, 3, counts(5, 5))), nil,
			"web-v1 7->3", "web-v1 7->5", ""},
		{quirk.DeletingDeploymentWritesNewSet, "a Deployment that is being deleted still writes its new ReplicaSet",
			snapshot(web(3, func(d *deploy.Deployment) { d.DeletionTimestamp, d.MinReadySeconds = t0, 5 }), set(2, 3)), nil,
			"annotate web-v2", "", ""},
		{quirk.UsedSetsFillHistory, "an old set in use takes the place of the only one to go back to",
			snapshot(web(3, template("v9"), history(1), reported(3, 3, 3, 3)), set(1, 0), set(2, 0, counts(1, 1)), set(9, 3)), nil,
			"delete web-v1", "", ""},
		{quirk.UnreadableRevisionSortsByAge, "a revision that does not parse goes by age",
			snapshot(web(3, template("v9"), history(1), reported(3, 3, 3, 3)), set(1, 0), set(2, 0, numbered("bad")), set(9, 3)), nil,
			"delete web-v1", "delete web-v2", ""},
		{quirk.EmptyMapSelectsAll, "an empty map is not noticed, and every orphan of the namespace is adopted",
			snapshot(web(3, empty), set(1, 4, labelled("db"), controlled(""))), nil,
			"adopt web-v1, create web-v2 0, annotate deployment, web-v1 4->3", "", ""},
		{quirk.CutNameInvalid, "a name cut after a dot is no name",
			snapshot(web(1, func(d *deploy.Deployment) { d.Name = long })), nil,
			"create " + long[:250] + "-v2 1, annotate deployment", "create " + long[:249] + "-v2 1, annotate deployment", ""},
		{quirk.RollbackCreatesAbandonedSet, "a ReplicaSet is created for the template that is given up",
			snapshot(web(3, request("1"), template("v9")), set(1, 0), set(2, 3)), nil,
			"create web-v9 1, annotate deployment, roll back to web-v1 (1)", "roll back to web-v1 (1)", ""},
		{quirk.CleanupDeletesStartedSet, "a paused Deployment deletes the ReplicaSet that it has just started",
			snapshot(web(10, paused, template("v9"), history(0)), set(1, 0)), nil,
			"web-v1 0->10, delete web-v1", "web-v1 0->10", ""},
	}
}

func reportCases() []quirkCase {
	failing := func(message string) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) {
			rs.Status.Conditions = []kplan.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: message, LastTransitionTime: t0}}
		}
	}
	had := func(d *deploy.Deployment) {
		d.Status.Conditions = []kplan.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "quota 1"}}
	}
	message := func(p deploy.Plan) string {
		if c := condition(p.Status, deploy.ConditionReplicaFailure); c != nil {
			return c.Message
		}
		return "none"
	}
	clock := func(p deploy.Plan) string {
		c := condition(p.Status, deploy.ConditionProgressing)
		return fmt.Sprint(c.Status, " ", c.Reason, " ", t0.Sub(c.LastUpdateTime))
	}
	long := t0.Add(-24 * time.Hour)
	back := func(status kplan.ConditionStatus, reason string, available int32) deploy.Snapshot {
		return snapshot(web(3, deadline(60), template("v1"), reported(3, 3, available, available), progressing(status, reason, long, long)),
			set(1, 0), set(2, 3, counts(3, available)))
	}
	return []quirkCase{
		{quirk.UnavailableReplicasLag, "in the pass that scales, unavailable pods are those of the old sizes",
			snapshot(web(3, limits(0, 1)), set(1, 2), set(2, 0)),
			func(p deploy.Plan) string { return fmt.Sprint(sizes(p), ": ", p.Status.UnavailableReplicas) }, "web-v2 0->1: 0", "web-v2 0->1: 1", ""},
		{quirk.ReusedSetKeepsDeadline, "a rollout that reuses a ReplicaSet keeps the clock", back("True", "NewReplicaSetAvailable", 3), clock,
			"True NewReplicaSetAvailable 24h0m0s", "True FoundNewReplicaSet 0s", ""},
		{quirk.ReusedSetKeepsDeadline, "and the failure", back("False", "ProgressDeadlineExceeded", 0), clock,
			"False ProgressDeadlineExceeded 24h0m0s", "True FoundNewReplicaSet 0s", ""},
		{quirk.ReplicaFailureNotRefreshed, "another message", snapshot(web(3, had), set(2, 3, failing("quota 2"))), message, "quota 1", "quota 2", ""},
		{quirk.ReplicaFailureNotRefreshed, "over while paused", snapshot(web(3, had, paused), set(2, 3)), message, "quota 1", "none", ""},
	}
}

func partitionCases() []quirkCase {
	six := sized("6", "8")
	pausing := func(s deploy.Snapshot) deploy.Snapshot {
		s.Deployment.Partitioned.Paused = true
		return s
	}
	return []quirkCase{
		{quirk.OldestFirstUnderPartition, "released builds start with the oldest",
			func() deploy.Snapshot {
				s := partitioned(6, strategy("20%", "25%", "25%"), set(1, 3), set(2, 1), set(3, 2), set(4, 2))
				s.Deployment.Template = revision.Template{ID: "v4", Hash: "v4"}
				return s
			}(), sizes, "web-v1 3->1", "web-v3 2->0", ""},
		{quirk.NewPodAtPartitionZero, "without a surge one is started", partitioned(3, strategy("0", "0", "1"), set(1, 3)), sizes,
			"create web-v2 1, web-v1 3->2", "create web-v2 0", ""},
		{quirk.ScaledBeyondPartition, "the shares stay, and the new one is then beyond its limit of 3",
			partitioned(12, strategy("20%", "25%", "25%"), set(1, 4, six), set(2, 2, six)), sizes,
			"web-v1 4->8, web-v2 2->4", "web-v1 4->9, web-v2 2->3", ""},
		{quirk.StatusAheadFailsScaling, "upstream ends the pass with an error",
			partitioned(3, strategy("20%", "25%", "25%"), set(1, 4, six, counts(5, 5)), set(2, 2, six)), sizes,
			"none", "web-v1 4->2, web-v2 2->1", ""},
		{quirk.ScalingTakesAvailable, "paused, new pods go instead",
			pausing(partitioned(6, strategy("20%", "25%", "0"), set(1, 6, six), set(2, 2, six, counts(2, 0)))), sizes,
			"web-v1 6->4", "web-v2 2->0", ""},
	}
}
