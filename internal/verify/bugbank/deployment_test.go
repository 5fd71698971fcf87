// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

func deployments() []entry {
	return slices.Concat(scalingOfDeployments(), rolloutsOfDeployments(), conditionsOfDeployments())
}

func scalingOfDeployments() []entry {
	between := []replicaset.ReplicaSet{set(1, 8, sized(10, 13)), set(2, 2, sized(10, 13))}
	freeze := deploy.Options{Paused: deploy.PausedFreeze}
	return []entry{
		{"kubernetes-102551", "a stale annotation of the desired replicas blocks all rollouts", plans(
			snapshot(web(4, limits(0, 1)), set(1, 4, sized(5, 5)), set(2, 0)), "", corrected, "annotate web-v1"),
			mutant{"deploy:input.scaleOnly", "d.resize(i, s.replicas, reason.Scaling, r)", "d.resize(i, s.replicas, reason.Scaling, false)"}},
		{"kubernetes-125568", "Recreate with two active sets and a scale request is stuck", plans(
			snapshot(web(5, recreate), set(1, 2, sized(3, 3)), set(2, 2, sized(3, 3))), "", corrected, "web-v1 2->0"),
			mutant{"deploy", "!s.opts.Repair.Has(quirk.RecreateStuckAfterScaling)", "true"}},
		{"kubernetes-128535", "the product of a proportional scaling overflows and pods of a scale-up are killed", plans(
			snapshot(web(100000, limits(0, 1)), set(1, 45000, sized(95000, 95000)), set(2, 50000, sized(95000, 95000))),
			"web-v2 50000->97842, web-v1 45000->2158", corrected, "web-v2 50000->52632, web-v1 45000->47368"),
			mutant{"rollout", "h, l := bits.Mul64(uint64(g), w)", "h, l := uint64(0), uint64(uint32(g)*uint32(w))"}},
		{"kubernetes-44734", "a scaling that was interrupted and changed forgets the proportions", plans(
			snapshot(web(15, limits(0, 1)), set(1, 12, sized(20, 20)), set(2, 4, sized(10, 10))),
			"web-v1 12->11, annotate web-v2", corrected, "web-v1 12->9, web-v2 4->6"),
			mutant{"rollout", "w[k]<<shareBits(len(a))/int64(s.Before)", "w[k] + 0*int64(s.Before)"}},
		{"kubernetes-20273", "proportional scaling feeds a template that does not start", plans(
			snapshot(web(20, limits(4, 1)), set(1, 10, sized(12, 16)), set(2, 4, sized(12, 16), counts(4, 0))),
			"web-v1 10->18, web-v2 4->6", deploy.Options{WeighByAvailable: true}, "web-v1 10->20, annotate web-v2"),
			mutant{"deploy:draft.shareExactly", "s.opts.WeighByAvailable", "false"}},
		{"kubernetes-115735", "a larger surge of a paused Deployment goes to the old set", plans(
			snapshot(web(10, limits(6, 2), paused), set(1, 8, sized(10, 13)), set(2, 5, sized(10, 13))),
			"web-v1 8->10, web-v2 5->6", deploy.Options{Paused: deploy.PausedScale}, ""),
			mutant{"deploy:decision.decidePaused", "s.scalingEvent()", "true"}},
		{"kubernetes-98457", "scaling a paused Deployment starts pods of the old template at once", plans(
			snapshot(web(11, limits(3, 2), paused), between...), "web-v1 8->12, annotate web-v2", freeze, ""),
			mutant{"deploy:decision.decidePaused", "PausedFreeze", `"never"`}},
		{"kubernetes-105395", "replicas and template changed at once start pods of the old template", plans(
			snapshot(web(6, limits(3, 2)), set(1, 3, sized(3, 5))), "web-v1 3->6",
			deploy.Options{RolloutFirst: true}, "create web-v2 6, annotate web-v1"),
			mutant{"deploy", "s.opts.RolloutFirst && s.newAt < 0", "false"}},
		{"kubernetes-95498", "pods that are being deleted do not count, and the surge is exceeded", plans(
			snapshot(web(15), set(1, 12, leaving(3)), set(2, 4)), "web-v2 4->7",
			deploy.Options{Terminating: deploy.TerminationComplete}, "web-v1 12->8"),
			mutant{"rollout:Roll", "p.Sum(p.Sum(total) + terminating)", "p.Sum(p.Sum(total) + 0*terminating)"}},
		{"kubernetes-72775", "an autoscaler takes surge pods for wanted ones", surgeIsNotWanted,
			mutant{"deploy:Plan.write", "if s.d.Strategy == Recreate {\n\t\tp.Budget.Unavailable = s.replicas\n\t}", "p.Budget.Replicas += s.budget.Surge"}},
		{"kubernetes-119536", "scaling takes an available pod, and leaves an old one that is not", plans(
			snapshot(web(4, limits(0, 1), template("v3")), set(1, 3, sized(5, 5)), set(2, 1, sized(5, 5), counts(1, 0)), set(3, 1, sized(5, 5))),
			"web-v1 3->2, annotate web-v2, annotate web-v3", corrected, "annotate web-v1, web-v2 1->0, annotate web-v3"),
			mutant{"deploy", "s.opts.Repair.Has(quirk.ScalingKeepsUnavailable)", "false"}},
		{"kruise-2239", "the proportions of two templates drift with every scaling of an autoscaler", plans(
			snapshot(web(11, limits(3, 2)), between...), "web-v1 8->12, annotate web-v2", corrected, "web-v1 8->11, web-v2 2->3"),
			mutant{"rollout", "cmp.Or(cmp.Compare(c[l], c[k]), m, y)", "cmp.Or(m, y)"}},
	}
}

func leaving(n int32) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = &n }
}

func surgeIsNotWanted(t *testing.T) {
	p := deployment(t, snapshot(web(10, limits(3, 2)), set(1, 8), set(2, 5)), deploy.Options{})
	require.Equal(t, int32(13), p.Status.Replicas, "what it reads")
	require.Equal(t, int32(10), p.Budget.Replicas, "what it should")
}

func rolloutsOfDeployments() []entry {
	long := strings.Repeat("x", 249) + ".xyz"
	limited := func(d *deploy.Deployment) { d.RevisionHistoryLimit = ptr.To(int32(1)) }
	orphan := func(rs *replicaset.ReplicaSet) { rs.ControllerUID, rs.Labels = "", map[string]string{"app": "web"} }
	selecting := func(d *deploy.Deployment) {
		d.Selector = &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	}
	labelled := func(rs *replicaset.ReplicaSet) { rs.Labels = map[string]string{"app": "web"} }
	return []entry{
		{"kubernetes-16737", "unready pods of a broken template leave no room for a good one", plans(
			snapshot(web(3, limits(1, 1), template("v3")), set(1, 2), set(2, 2, counts(2, 0)), set(3, 0)),
			"web-v2 2->0", corrected, "web-v2 2->0"),
			mutant{"rollout:Shrink", "RemoveUnavailable(o, r, p)", "RemoveUnavailable(o, 0, p)"}},
		{"kubernetes-41145", "an old set in use takes the place of an idle one when history is cut", plans(
			snapshot(web(3, template("v9"), limited, complete), set(1, 0), set(2, 0, counts(1, 1)), set(9, 3)),
			"delete web-v1", corrected, ""),
			mutant{"revision", "o.Repair.Has(quirk.UsedSetsFillHistory)", "quirk.UsedSetsFillHistory == 0"}},
		{"kubernetes-116447", "a long name is cut behind a dot, and the set can never be created", plans(
			snapshot(web(1, func(d *deploy.Deployment) { d.Name = long })),
			"create "+long[:250]+"-v2 1", corrected, "create "+long[:249]+"-v2 1"),
			mutant{"deploy", `strings.TrimRight(b, ".-")`, `strings.TrimRight(b, "")`}},
		{"kubernetes-40415", "of two sets with the same template the older is the new one", plans(
			snapshot(web(3, limits(1, 0)), set(2, 1), set(3, 3, twin, numbered("1"))), "web-v3 3->2", corrected, "web-v3 3->2"),
			mutant{"deploy", "s.newAt < 0 && s.sets[i].rs.Template.Same(s.d.Template)", "s.sets[i].rs.Template.Same(s.d.Template)"}},
		{"kubernetes-61433", "an orphan of another template is adopted and rolled away", plans(
			snapshot(web(3, selecting), set(1, 3, orphan), set(2, 3, labelled)), "adopt web-v1, web-v1 3->0",
			deploy.Options{Adoption: deploy.AdoptSameTemplate}, ""),
			mutant{"deploy:input.adopts", "r.Template.Same(s.d.Template)", "true"}},
		{"kubernetes-128798", "a failed pod that is left over makes Recreate wait for the deadline", failedPodWakes,
			mutant{"deploy", "o && !s.pods[i].Finished()", "o"}},
		{"kubernetes-67815", "the lists of ReplicaSets share memory, and the caller's is sorted in place", callersListStays,
			mutant{"deploy", "slices.SortFunc(o, byCreation)", "slices.SortFunc(o, byCreation)\n\tslices.SortFunc(in.namespaceSets, func(a, b replicaset.ReplicaSet) int { return byCreation(&a, &b) })"}},
	}
}

func twin(rs *replicaset.ReplicaSet) { rs.Template = version("v2") }

func failedPodWakes(t *testing.T) {
	s := snapshot(web(3, recreate), set(1, 0))
	for phase, want := range map[podorder.Phase]bool{podorder.Running: true, podorder.Failed: false} {
		s.Pods = []podorder.Pod{{Name: "p", Phase: phase, ControllerUID: "v1"}}
		running, err := deploy.OldPodsRunning(s, t0, deploy.Options{})
		require.NoError(t, err)
		require.Equal(t, want, running, phase)
		require.Equal(t, want, writes(deployment(t, s, deploy.Options{})) == "", "the plan waits by the same rule")
	}
}

func callersListStays(t *testing.T) {
	s := snapshot(web(3, limits(1, 1)), set(3, 1, twin), set(1, 3), set(2, 0))
	p := deployment(t, s, deploy.Options{})
	require.Equal(t, "web-v3", s.ReplicaSets[0].Name)
	require.Equal(t, "web-v1", s.ReplicaSets[1].Name)
	slices.Reverse(s.ReplicaSets)
	require.Equal(t, p, deployment(t, s, deploy.Options{}), "the order does not matter")
}

func conditionsOfDeployments() []entry {
	return []entry{
		{"kubernetes-106697", "pods lost after completion never miss a deadline", stalled,
			mutant{"deploy", "d.Status.AvailableReplicas < r", "d.Status.AvailableReplicas < min(0, r)"}},
		{"kubernetes-115538", "Recreate looks finished while it tears down", tearsDown,
			mutant{"deploy:input.oldPods", "if n := s.status().Replicas; n > 0 {\n\t\t\t\th = append(h, hold(s.rs.Name, reason.OldPodsRemain, int64(n), 0))\n\t\t\t}", "if n := s.status().Replicas; n > 0 {\n\t\t\t\t_ = n\n\t\t\t}"}},
		{"kubernetes-61205", "a Deployment without any available pod is Available", strictlyAvailable,
			mutant{"deploy:input.reportedMinAvailable", "max(1, n)", "n"}},
		{"kubernetes-40207", "a rollback to an existing set keeps the clock of the deadline", freshClock,
			mutant{"deploy:newSetUpdate.restartsDeadline", "i.hasDeadline()", "false"}},
		{"kubernetes-49637", "a rollout that was paused misses its deadline when it is resumed", pauseStopsClock,
			mutant{"deploy", "!s.d.Paused && r == progressPaused", "false"}},
	}
}

func stalled(t *testing.T) {
	d := web(3, complete, progressing("True", "NewReplicaSetAvailable", t0.Add(-time.Hour)))
	require.False(t, deploy.Stalled(d))
	d.Status.AvailableReplicas = 1
	require.True(t, deploy.Stalled(d))
	p := deployment(t, snapshot(d, set(2, 3, counts(3, 1))), deploy.Options{})
	require.Equal(t, "NewReplicaSetAvailable", condition(p.Status, deploy.ConditionProgressing).Reason, "which is what upstream says")
}

func tearsDown(t *testing.T) {
	d := web(3, recreate, complete, progressing("True", "NewReplicaSetAvailable", t0))
	d.Status.UpdatedReplicas = 0
	p := deployment(t, snapshot(d, set(1, 0, counts(3, 3))), deploy.Options{})
	require.Equal(t, "NewReplicaSetAvailable", condition(p.Status, deploy.ConditionProgressing).Reason, "which is what upstream says")
	require.Contains(t, p.Holds, kplan.Hold{Name: "web-v1", Reason: reason.OldPodsRemain, Have: 3})
}

func strictlyAvailable(t *testing.T) {
	s := snapshot(web(3, limits(0, 3)), set(2, 3, counts(3, 0)))
	require.Equal(t, kplan.ConditionTrue, condition(deployment(t, s, deploy.Options{}).Status, deploy.ConditionAvailable).Status)
	strict := deploy.Options{StrictAvailable: true}
	require.Equal(t, kplan.ConditionFalse, condition(deployment(t, s, strict).Status, deploy.ConditionAvailable).Status)
}

func freshClock(t *testing.T) {
	long := t0.Add(-24 * time.Hour)
	s := snapshot(web(3, complete, template("v1"), progressing("True", "NewReplicaSetAvailable", long)), set(1, 0), set(2, 3))
	require.Equal(t, long, condition(deployment(t, s, deploy.Options{}).Status, deploy.ConditionProgressing).LastUpdateTime)
	c := condition(deployment(t, s, corrected).Status, deploy.ConditionProgressing)
	require.Equal(t, "FoundNewReplicaSet", c.Reason)
	require.Equal(t, t0, c.LastUpdateTime)
}

func pauseStopsClock(t *testing.T) {
	long := t0.Add(-24 * time.Hour)
	waiting := []replicaset.ReplicaSet{set(1, 3), set(2, 1, counts(1, 0))}
	d := web(3, limits(1, 0), paused, progressing("True", "ReplicaSetUpdated", long))
	p := deployment(t, snapshot(d, waiting...), deploy.Options{})
	require.Equal(t, "DeploymentPaused", condition(p.Status, deploy.ConditionProgressing).Reason)
	d = web(3, limits(1, 0), progressing("Unknown", "DeploymentPaused", long))
	d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ReadyReplicas, d.Status.AvailableReplicas = 4, 1, 3, 3
	p = deployment(t, snapshot(d, waiting...), deploy.Options{})
	c := condition(p.Status, deploy.ConditionProgressing)
	require.Equal(t, "DeploymentResumed", c.Reason)
	require.Equal(t, t0, c.LastUpdateTime)
}
