package invariant_test

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// t0 is when every test happens.
var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func pick[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

func often(t *rapid.T, name string, of int) bool { return rapid.IntRange(0, of).Draw(t, name) > 0 }
func seldom(t *rapid.T, name string, of int) bool {
	return rapid.IntRange(0, of).Draw(t, name) == of
}

// size is small, so that limits are hit, or now and then anything.
func size(t *rapid.T, name string, wild bool) int32 {
	if wild && seldom(t, name+" is large", 3) {
		return rapid.OneOf(rapid.Int32Range(0, math.MaxInt32), rapid.Just(int32(math.MaxInt32))).Draw(t, name)
	}
	return rapid.Int32Range(0, 12).Draw(t, name)
}

func limit(t *rapid.T, name string) rollout.IntOrPercent {
	return rapid.OneOf(
		rapid.Just(rollout.IntOrPercent{}), rapid.Map(rapid.Int32Range(0, 6), rollout.Int), rapid.Map(rapid.Int32Range(0, 130), rollout.Percent),
	).Draw(t, name)
}

func web(replicas int32) deploy.Deployment {
	return deploy.Deployment{
		Name: "web", UID: "web-uid", Generation: 2, Replicas: &replicas, Template: revision.Template{ID: "v2", Hash: "v2"},
		Status: deploy.Status{ObservedGeneration: 2},
	}
}

// set is the ReplicaSet of template "v<n>", with its revision, all pods available.
func set(n int, size int32) replicaset.ReplicaSet {
	v := "v" + strconv.Itoa(n)
	return replicaset.ReplicaSet{
		Name: "web-" + v, UID: v, ResourceVersion: "r" + v, ControllerKind: "Deployment", ControllerName: "web", ControllerUID: "web-uid", Generation: 1,
		CreationTimestamp: t0.Add(time.Duration(n-1440) * time.Minute), Replicas: &size, Template: revision.Template{ID: v, Hash: v},
		Annotations: map[string]string{revision.AnnotationRevision: strconv.Itoa(n)}, Labels: map[string]string{"app": "web"},
		Status: replicaset.Status{ObservedGeneration: 1, Replicas: size, FullyLabeledReplicas: size, ReadyReplicas: size, AvailableReplicas: size, TerminatingReplicas: new(int32)},
	}
}

// counted sets what a ReplicaSet reports.
func counted(rs replicaset.ReplicaSet, replicas, available int32) replicaset.ReplicaSet {
	rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = replicas, replicas, available, available
	return rs
}

// sized sets what a ReplicaSet was last scaled for.
func sized(rs replicaset.ReplicaSet, desired, most int32) replicaset.ReplicaSet {
	rs.Annotations = map[string]string{
		revision.AnnotationRevision: rs.Annotations[revision.AnnotationRevision], revision.AnnotationDesired: fmt.Sprint(desired), revision.AnnotationMax: fmt.Sprint(most),
	}
	return rs
}

func snapshot(d deploy.Deployment, sets ...replicaset.ReplicaSet) deploy.Snapshot {
	for _, rs := range sets {
		if rs.Template.ID == d.Template.ID && d.Annotations == nil {
			d.Annotations = map[string]string{revision.AnnotationRevision: rs.Annotations[revision.AnnotationRevision]}
		}
	}
	return deploy.Snapshot{Deployment: d, ReplicaSets: sets}
}

// deployments generates Deployments in all states that a cluster shows.
func deployments(t *rapid.T, wild bool) deploy.Snapshot {
	d := web(size(t, "replicas", wild))
	d.MaxSurge, d.MaxUnavailable = limit(t, "surge"), limit(t, "unavailable")
	d.ProgressDeadlineSeconds = pick(t, "deadline", nil, new(int32(1)), new(int32(deploy.NoLimit)))
	d.RevisionHistoryLimit = pick(t, "history", nil, new(int32(0)), new(int32(1)), new(int32(2)))
	d.Strategy = pick(t, "strategy", "", deploy.RollingUpdate, deploy.RollingUpdate, deploy.Recreate)
	d.Paused, d.Generation = seldom(t, "paused", 6), pick[int64](t, "generation", 2, 3)
	d.Selector = pick(t, "selector", nil, nil, selector.FromLabels(map[string]string{"app": "web"}))
	if seldom(t, "deleting", 12) {
		d.DeletionTimestamp = t0.Add(-time.Minute)
	}
	if seldom(t, "roll back", 8) {
		d.Annotations = map[string]string{revision.AnnotationRollback: pick(t, "to", "0", "1", "2", "9"), revision.AnnotationLastApplied: "{}"}
	}
	d.Template = revision.Template{ID: "v0", Hash: "v0"}
	if n := rapid.IntRange(0, 5).Draw(t, "template"); n > 0 {
		d.Template.ID = fmt.Sprint("v", n)
	}
	midScale := often(t, "scaled before", 1)
	desired := size(t, "desired before", false)
	var sets []replicaset.ReplicaSet
	for n := range rapid.IntRange(0, 4).Draw(t, "sets") {
		sets = append(sets, anySet(t, n+1, wild))
		if midScale {
			sets[n] = sized(sets[n], desired, desired+pick[int32](t, "surge before", 0, 1, 1, 1, 3))
		}
	}
	s := snapshot(d, sets...)
	for i := range rapid.IntRange(0, 2).Draw(t, "pods") {
		owner := pick(t, "owner", "v1", "v2", "x")
		s.Pods = append(s.Pods, podorder.Pod{
			Name: fmt.Sprint("p", i), UID: fmt.Sprint("p", i), ControllerKind: "ReplicaSet", ControllerName: "web-" + owner, ControllerUID: owner,
			Phase: pick(t, "phase", podorder.Running, podorder.Pending, podorder.Failed),
		})
	}
	s.Deployment.Status.Conditions = conditions(t)
	return s
}

func conditions(t *rapid.T) []deploy.Condition {
	if often(t, "no condition", 1) {
		return nil
	}
	return []deploy.Condition{{
		Type: deploy.ConditionProgressing, Status: "True", Reason: pick(t, "reason", "ReplicaSetUpdated", "NewReplicaSetAvailable", "DeploymentPaused", "ProgressDeadlineExceeded"),
		LastUpdateTime: t0.Add(-pick(t, "updated", time.Second, time.Second+1, time.Minute, time.Hour)), LastTransitionTime: t0.Add(-time.Hour),
	}}
}

func anySet(t *rapid.T, n int, wild bool) replicaset.ReplicaSet {
	wanted := size(t, "size", wild)
	replicas := rapid.Int32Range(0, wanted).Draw(t, "reported")
	if !wild {
		replicas = rapid.Int32Range(0, wanted+2).Draw(t, "reported")
	}
	rs := counted(set(n, wanted), replicas, rapid.Int32Range(0, min(wanted, replicas)).Draw(t, "available"))
	rs.Status.TerminatingReplicas = pick(t, "terminating", new(int32), new(int32), new(int32(2)), nil)
	if seldom(t, "odd", 5) {
		rs.Status.AvailableReplicas = int32(min(int64(wanted)+pick[int64](t, "ahead", 1, 3), math.MaxInt32))
	}
	if seldom(t, "orphan", 8) {
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
	}
	if seldom(t, "foreign", 8) {
		rs.ControllerUID = "other"
	}
	if seldom(t, "unlabelled", 8) {
		rs.Labels = nil
	}
	if seldom(t, "same age", 3) {
		rs.CreationTimestamp = t0.Add(-time.Hour)
	}
	if seldom(t, "behind", 4) {
		rs.Generation = 2
	}
	if seldom(t, "tampered", 8) {
		rs.Annotations = map[string]string{
			revision.AnnotationRevision: pick(t, "revision", "", "3", "zz", "-1", "9223372036854775806"),
			revision.AnnotationDesired:  pick(t, "desired", "", "+2", "zz", "4294967299", "7"), revision.AnnotationMax: pick(t, "max", "0", "-1", "9"),
			revision.AnnotationHistory: pick(t, "old", "", "1,2", "x"),
		}
	}
	return rs
}

func deploymentOptions(t *rapid.T) deploy.Options {
	o := deploy.Options{Repair: pick(t, "repair", 0, deploy.RepairAll)}
	if seldom(t, "policies", 3) {
		o.Terminating = pick(t, "terminating", deploy.TerminationStarted, deploy.TerminationComplete, deploy.TerminationKnown)
		o.Paused = pick(t, "paused policy", deploy.PausedFill, deploy.PausedScale, deploy.PausedFreeze)
		o.RolloutFirst, o.WeighByAvailable = rapid.Bool().Draw(t, "rollout first"), rapid.Bool().Draw(t, "weigh")
		o.Leftover = pick(t, "leftover", deploy.LeftoverDefault, deploy.LeftoverLargest, deploy.LeftoverNewest)
		o.Adoption = pick(t, "adoption", deploy.AdoptAll, deploy.AdoptSameTemplate, deploy.AdoptNone)
		o.PausePoints, o.StrictAvailable = rapid.Bool().Draw(t, "points"), rapid.Bool().Draw(t, "strict")
	}
	return o
}

// partitioned makes a Deployment one that is rolled by partition.
func partitioned(t *rapid.T, s deploy.Snapshot) deploy.Snapshot {
	p := &partition.Strategy{Partition: pick(t, "partition", rollout.Int(0), rollout.Int(3), rollout.Percent(0), rollout.Percent(20), rollout.Percent(50), rollout.Percent(99), rollout.Percent(100))}
	if often(t, "limits", 9) {
		p.RollingUpdate = &partition.RollingUpdate{MaxSurge: limit(t, "surge by partition"), MaxUnavailable: limit(t, "unavailable by partition")}
	}
	p.Paused = seldom(t, "partition paused", 6)
	s.Deployment.Partitioned, s.Deployment.Strategy, s.Deployment.Paused = p, deploy.Recreate, true
	return s
}

// broken makes something of a snapshot that no cluster shows.
func broken(t *rapid.T, s deploy.Snapshot) deploy.Snapshot {
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		switch rapid.IntRange(0, 9).Draw(t, "break") {
		case 0:
			rs.Replicas = nil
		case 1:
			rs.Replicas = new(int32(-1))
		case 2:
			rs.UID, rs.Name = "v1", "web-v1"
		case 3:
			rs.Status = replicaset.Status{Replicas: rapid.Int32().Draw(t, "r"), AvailableReplicas: rapid.Int32().Draw(t, "a"), ReadyReplicas: rapid.Int32().Draw(t, "y")}
		case 4:
			rs.Annotations = nil
		case 5:
			rs.Name = ""
		}
	}
	s.Deployment.Replicas = pick(t, "broken replicas", nil, s.Deployment.Replicas, new(int32(-3)), new(int32(math.MaxInt32)))
	s.Deployment.Selector = pick(t, "broken selector", nil, &selector.LabelSelector{}, &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "?"}}})
	s.Deployment.UID = pick(t, "uid", "web-uid", "")
	return s
}
