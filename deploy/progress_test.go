// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
)

func condition(s deploy.Status, conditionType string) *kplan.Condition {
	i := slices.IndexFunc(s.Conditions, func(c kplan.Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &s.Conditions[i]
}

// reported sets the stored status.
func reported(replicas, updated, ready, available int32) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) {
		d.Status.Replicas, d.Status.UpdatedReplicas = replicas, updated
		d.Status.ReadyReplicas, d.Status.AvailableReplicas = ready, available
		d.Status.ObservedGeneration = d.Generation
	}
}

func TestComplete(t *testing.T) {
	full := deploy.Status{Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3, ObservedGeneration: 2}
	for _, c := range []struct {
		why    string
		change func(*deploy.Status)
		want   bool
	}{
		{"all updated and available", func(*deploy.Status) {}, true},
		{"an old pod", func(s *deploy.Status) { s.Replicas = 4 }, false},
		{"not updated", func(s *deploy.Status) { s.UpdatedReplicas = 2 }, false},
		{"not available", func(s *deploy.Status) { s.AvailableReplicas = 2 }, false},
		{"not observed", func(s *deploy.Status) { s.ObservedGeneration = 1 }, false},
		{"observed ahead", func(s *deploy.Status) { s.ObservedGeneration = 3 }, true},
		{"readiness takes no part", func(s *deploy.Status) { s.ReadyReplicas = 0 }, true},
	} {
		s := full
		c.change(&s)
		requireEqual(t, c.why, c.want, deploy.Complete(s, 3, 2))
	}
}

func TestProgressed(t *testing.T) {
	before := deploy.Status{Replicas: 5, UpdatedReplicas: 2, ReadyReplicas: 4, AvailableReplicas: 4}
	for _, c := range []struct {
		why    string
		change func(*deploy.Status)
		want   bool
	}{
		{"nothing", func(*deploy.Status) {}, false},
		{"one more updated", func(s *deploy.Status) { s.UpdatedReplicas++ }, true},
		{"one old pod fewer", func(s *deploy.Status) { s.Replicas-- }, true},
		{"one more ready", func(s *deploy.Status) { s.ReadyReplicas++ }, true},
		{"one more available", func(s *deploy.Status) { s.AvailableReplicas++ }, true},
		{"one more old pod", func(s *deploy.Status) { s.Replicas++ }, false},
		{"one ready fewer", func(s *deploy.Status) { s.ReadyReplicas-- }, false},
	} {
		after := before
		c.change(&after)
		requireEqual(t, c.why, c.want, deploy.Progressed(before, after))
	}
}

func TestTimedOut(t *testing.T) {
	at := func(reason string, ago time.Duration) *kplan.Condition {
		return &kplan.Condition{Type: deploy.ConditionProgressing, Reason: reason, LastUpdateTime: t0.Add(-ago)}
	}
	for _, c := range []struct {
		why      string
		c        *kplan.Condition
		deadline int32
		want     bool
	}{
		{"no condition", nil, 60, false},
		{"no deadline", at("ReplicaSetUpdated", time.Hour), deploy.NoLimit, false},
		{"within", at("ReplicaSetUpdated", 59*time.Second), 60, false},
		{"exactly at it", at("ReplicaSetUpdated", 60*time.Second), 60, false},
		{"just past it", at("ReplicaSetUpdated", 60*time.Second+1), 60, true},
		{"completed once", at("NewReplicaSetAvailable", time.Hour), 60, false},
		{"already reported", at("ProgressDeadlineExceeded", 0), 60, true},
		{"the clock does not stop for a pause", at("DeploymentPaused", time.Hour), 60, true},
		{"the longest deadline", at("ReplicaSetUpdated", time.Hour), math.MaxInt32 - 1, false},
	} {
		requireEqual(t, c.why, c.want, deploy.TimedOut(c.c, c.deadline, t0))
	}
}

func TestProgressCondition(t *testing.T) {
	earlier := t0.Add(-30 * time.Second)
	long := t0.Add(-time.Hour)
	moved := []replicaset.ReplicaSet{set(1, 2), set(2, 3, counts(3, 2))}
	for _, c := range []struct {
		why                          string
		d                            deploy.Deployment
		sets                         []replicaset.ReplicaSet
		status, reason               string
		updated, transition, recheck time.Time
	}{
		{"progress moves the clock and keeps the transition",
			web(4, deadline(60), reported(5, 3, 4, 3), progressing("True", "ReplicaSetUpdated", earlier, long)), moved,
			"True", "ReplicaSetUpdated", t0, long, t0.Add(60*time.Second + 1)},
		{"no progress leaves it",
			web(4, deadline(60), reported(5, 3, 4, 4), progressing("True", "ReplicaSetUpdated", earlier, long)), moved,
			"True", "ReplicaSetUpdated", earlier, long, earlier.Add(60*time.Second + 1)},
		{"too long without progress",
			web(4, deadline(20), reported(5, 3, 4, 4), progressing("True", "ReplicaSetUpdated", earlier, long)), moved,
			"False", "ProgressDeadlineExceeded", t0, t0, time.Time{}},
		{"progress after all",
			web(4, deadline(20), reported(5, 3, 4, 3), progressing("False", "ProgressDeadlineExceeded", earlier, long)), moved,
			"True", "ReplicaSetUpdated", t0, t0, t0.Add(20*time.Second + 1)},
		{"complete",
			web(3, deadline(60), reported(3, 3, 3, 3), progressing("True", "ReplicaSetUpdated", earlier, long)),
			[]replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"True", "NewReplicaSetAvailable", t0, long, time.Time{}},
		{"pods lost after completion are no business of the deadline",
			web(3, deadline(20), reported(3, 3, 3, 3), progressing("True", "NewReplicaSetAvailable", long, long)),
			[]replicaset.ReplicaSet{set(2, 3, counts(3, 1))},
			"True", "NewReplicaSetAvailable", long, long, time.Time{}},
		{"the clock starts anew when pods are replaced after completion",
			web(4, deadline(60), reported(5, 2, 4, 3), progressing("True", "NewReplicaSetAvailable", earlier, long)), moved,
			"True", "ReplicaSetUpdated", t0, long, t0.Add(60*time.Second + 1)},
		{"resumed: the clock starts anew",
			web(3, deadline(60), reported(3, 3, 2, 2), progressing("Unknown", "DeploymentPaused", long, long)),
			[]replicaset.ReplicaSet{set(2, 3, counts(3, 2))},
			"Unknown", "DeploymentResumed", t0, long, t0.Add(60*time.Second + 1)},
		{"paused",
			web(3, deadline(60), paused, reported(3, 3, 2, 2), progressing("True", "ReplicaSetUpdated", long, long)),
			[]replicaset.ReplicaSet{set(2, 3, counts(3, 2))},
			"Unknown", "DeploymentPaused", t0, t0, time.Time{}},
		{"a missed deadline outlasts a pause",
			web(3, deadline(60), paused, reported(3, 3, 2, 2), progressing("False", "ProgressDeadlineExceeded", long, long)),
			[]replicaset.ReplicaSet{set(2, 3, counts(3, 2))},
			"False", "ProgressDeadlineExceeded", long, long, time.Time{}},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := reconcile(t, snapshot(c.d, c.sets...))
			got := condition(p.Status, deploy.ConditionProgressing)
			require.NotNil(t, got)
			require.Equal(t, c.status+"/"+c.reason, string(got.Status)+"/"+got.Reason)
			require.Equal(t, c.updated, got.LastUpdateTime, "last update")
			require.Equal(t, c.transition, got.LastTransitionTime, "last transition")
			require.Equal(t, c.recheck, p.RecheckAt, "recheck")
		})
	}
}

func TestProgressMessages(t *testing.T) {
	d := web(3, deadline(20), recreate, reported(3, 0, 3, 3), progressing("True", "ReplicaSetUpdated", t0.Add(-time.Hour), t0))
	p := reconcile(t, snapshot(d, set(1, 0, counts(3, 3))))
	require.Equal(t, `Deployment "web" has timed out progressing.`, condition(p.Status, deploy.ConditionProgressing).Message)

	p = reconcile(t, snapshot(web(3, deadline(20), reported(3, 0, 3, 3)), set(2, 3)))
	require.Equal(t, `ReplicaSet "web-v2" has successfully progressed.`, condition(p.Status, deploy.ConditionProgressing).Message)
}

func TestNamesInMessagesAreQuoted(t *testing.T) {
	for _, name := range []string{"web-v2", "", " ~", `a"b`, `a\b`, "a\nb", "a\x7fb", "ä", "a\xffb", strings.Repeat("n", 253)} {
		rs := set(2, 3)
		rs.Name += name
		p := reconcile(t, snapshot(web(3, deadline(20), reported(3, 0, 3, 3)), rs))
		want := fmt.Sprintf("ReplicaSet %q has successfully progressed.", rs.Name)
		require.Equal(t, want, condition(p.Status, deploy.ConditionProgressing).Message)
	}
	for _, name := range []string{`"`, `\`} { // nothing else in it has to be escaped
		rs := set(2, 3)
		rs.Name = name
		p := reconcile(t, snapshot(web(3, deadline(20), reported(3, 0, 3, 3)), rs))
		want := fmt.Sprintf("ReplicaSet %q has successfully progressed.", name)
		require.Equal(t, want, condition(p.Status, deploy.ConditionProgressing).Message)
	}
}

func TestNoDeadlineNoCondition(t *testing.T) {
	p := reconcile(t, snapshot(web(3, progressing("True", "ReplicaSetUpdated", t0, t0)), set(2, 3)))
	require.Nil(t, condition(p.Status, deploy.ConditionProgressing))
}

func TestReplicaFailure(t *testing.T) {
	failing := func(reason string) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) {
			rs.Status.Conditions = []kplan.Condition{{Type: "Other"}, {
				Type: "ReplicaFailure", Status: "True", Reason: reason, Message: "quota", LastTransitionTime: t0.Add(-time.Minute),
			}}
		}
	}
	copied := func(reason string) *kplan.Condition {
		at := t0.Add(-time.Minute)
		return &kplan.Condition{Type: "ReplicaFailure", Status: "True", Reason: reason, Message: "quota", LastUpdateTime: at, LastTransitionTime: at}
	}
	had := func(d *deploy.Deployment) {
		d.Status.Conditions = []kplan.Condition{{Type: "ReplicaFailure", Status: "True"}}
	}
	for _, c := range []struct {
		why  string
		d    deploy.Deployment
		sets []replicaset.ReplicaSet
		want *kplan.Condition
	}{
		{"that of the new one", web(3), []replicaset.ReplicaSet{set(1, 1, failing("Old")), set(2, 3, failing("New"))}, copied("New")},
		{"else of the oldest", web(3), []replicaset.ReplicaSet{set(1, 1), set(3, 1, failing("C")), set(2, 3)}, copied("C")},
		{"none is removed", web(3, had), []replicaset.ReplicaSet{set(2, 3)}, nil},
		{"a paused Deployment keeps it, stale or not", web(3, had, paused), []replicaset.ReplicaSet{set(2, 3)},
			&kplan.Condition{Type: "ReplicaFailure", Status: "True"}},
	} {
		got := condition(reconcile(t, snapshot(c.d, c.sets...)).Status, deploy.ConditionReplicaFailure)
		requireEqual(t, c.why, c.want, got)
	}
}

func TestSetCondition(t *testing.T) {
	early, late := t0, t0.Add(time.Minute)
	old := kplan.Condition{Type: "A", Status: "True", Reason: "R", Message: "m", LastUpdateTime: early, LastTransitionTime: early}
	other := kplan.Condition{Type: "B"}
	with := func(status kplan.ConditionStatus, reason string) kplan.Condition {
		return kplan.Condition{Type: "A", Status: status, Reason: reason, Message: "n", LastUpdateTime: late, LastTransitionTime: late}
	}
	kept := with("True", "S")
	kept.LastTransitionTime = early
	for _, c := range []struct {
		why  string
		in   []kplan.Condition
		set  kplan.Condition
		want []kplan.Condition
	}{
		{"the same status and reason change nothing", []kplan.Condition{old, other}, with("True", "R"), []kplan.Condition{old, other}},
		{"another reason keeps the transition and moves to the end", []kplan.Condition{old, other}, with("True", "S"), []kplan.Condition{other, kept}},
		{"another status", []kplan.Condition{old, other}, with("False", "R"), []kplan.Condition{other, with("False", "R")}},
		{"a new one", []kplan.Condition{other}, with("True", "R"), []kplan.Condition{other, with("True", "R")}},
		{"the first of a type decides and all of it go", []kplan.Condition{old, other, with("False", "X")}, with("True", "S"), []kplan.Condition{other, kept}},
	} {
		in := slices.Clone(c.in)
		requireEqual(t, c.why, c.want, deploy.SetCondition(in, c.set))
		requireEqual(t, "the input stays", c.in, in)
	}
	in := []kplan.Condition{old, other, old}
	require.Equal(t, []kplan.Condition{other}, deploy.RemoveCondition(in, "A"))
	require.Equal(t, []kplan.Condition{old, other, old}, in, "the input stays")
}
