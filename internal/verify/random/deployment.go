// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// Web is the drawn Deployment, with template v2.
func Web(replicas int32) deploy.Deployment {
	return deploy.Deployment{
		Name: "web", UID: "web-uid", Generation: 2, Replicas: &replicas, Template: revision.Template{ID: "v2", Hash: "v2"},
		Status: deploy.Status{ObservedGeneration: 2},
	}
}

// Set is the ReplicaSet of template "v<n>", with its revision, all pods available.
func Set(n int, size int32) replicaset.ReplicaSet {
	v := "v" + strconv.Itoa(n)
	return Counted(replicaset.ReplicaSet{
		Name: "web-" + v, UID: v, ResourceVersion: "r" + v, ControllerKind: "Deployment", ControllerName: "web", ControllerUID: "web-uid", Generation: 1,
		CreationTimestamp: Now.Add(time.Duration(n-1440) * time.Minute), Replicas: &size, Template: revision.Template{ID: v, Hash: v},
		Annotations: map[string]string{revision.AnnotationRevision: strconv.Itoa(n)}, Labels: map[string]string{"app": "web"},
		Status: replicaset.Status{ObservedGeneration: 1, TerminatingReplicas: new(int32)},
	}, size, size)
}

// Counted returns a ReplicaSet that reports these counts.
func Counted(rs replicaset.ReplicaSet, replicas, available int32) replicaset.ReplicaSet {
	rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = replicas, replicas, available, available
	return rs
}

// Sized returns a ReplicaSet with the annotations of its last scaling.
func Sized(rs replicaset.ReplicaSet, desired, most int32) replicaset.ReplicaSet {
	rs.Annotations = map[string]string{
		revision.AnnotationRevision: rs.Annotations[revision.AnnotationRevision], revision.AnnotationDesired: fmt.Sprint(desired), revision.AnnotationMax: fmt.Sprint(most),
	}
	return rs
}

// Sets returns a Deployment with ReplicaSets. It has the revision of the ReplicaSet with its
// template.
func Sets(d deploy.Deployment, sets ...replicaset.ReplicaSet) deploy.Snapshot {
	for _, rs := range sets {
		if rs.Template.ID == d.Template.ID && d.Annotations == nil {
			d.Annotations = map[string]string{revision.AnnotationRevision: rs.Annotations[revision.AnnotationRevision]}
		}
	}
	return deploy.Snapshot{Deployment: d, ReplicaSets: sets}
}

// Deployment draws a Deployment with up to four ReplicaSets. It has the template of one of them, or
// a new one.
func Deployment(s Source, kind Kind) deploy.Snapshot {
	switch kind {
	case CaughtUp:
		return caughtUpDeployment(s)
	case Truthful:
		return deployment(s, false)
	case Midway:
		return midwayDeployment(s)
	}
	if kind == Wrong {
		return wrongDeployment(s, deployment(s, true))
	}
	if Bool(s, "tampered") {
		return tamperedDeployment(s, caughtUpDeployment(s))
	}
	return deployment(s, true)
}

// template gives a Deployment the template of a ReplicaSet, or a new one.
func template(s Source, d *deploy.Deployment) {
	d.Template = revision.Template{ID: "v0", Hash: "v0"}
	if n := Between(s, "template", 0, 5); n > 0 {
		d.Template.ID = fmt.Sprint("v", n)
	}
}

func caughtUpDeployment(s Source) deploy.Snapshot {
	d := Web(size(s, "replicas", false))
	d.Status = deploy.Status{}
	d.MaxSurge, d.MaxUnavailable = limit(s, "surge"), limit(s, "unavailable")
	d.ProgressDeadlineSeconds = OneOf(s, "deadline", nil, ptr.To(int32(1)), ptr.To(int32(deploy.NoLimit)))
	d.RevisionHistoryLimit = OneOf(s, "history", nil, ptr.To(int32(0)), ptr.To(int32(1)), ptr.To(int32(deploy.NoLimit)))
	template(s, &d)
	var sets []replicaset.ReplicaSet
	for n := range Between(s, "sets", 0, 4) {
		wanted := size(s, "size", false)
		replicas := Between(s, "reported", 0, wanted+2)
		rs := Counted(Set(n+1, wanted), replicas, Between(s, "available", 0, min(wanted, replicas)))
		if Bool(s, "same age") {
			rs.CreationTimestamp = Now.Add(-time.Hour)
		}
		sets = append(sets, rs)
	}
	return Sets(d, sets...)
}

// deployment draws a Deployment in all states of a real cluster, or if wild is set with larger
// sizes.
func deployment(s Source, wild bool) deploy.Snapshot {
	d := Web(size(s, "replicas", wild))
	d.MaxSurge, d.MaxUnavailable = limit(s, "surge"), limit(s, "unavailable")
	d.ProgressDeadlineSeconds = OneOf(s, "deadline", nil, ptr.To(int32(1)), ptr.To(int32(deploy.NoLimit)))
	d.RevisionHistoryLimit = OneOf(s, "history", nil, ptr.To(int32(0)), ptr.To(int32(1)), ptr.To(int32(2)))
	d.Strategy = OneOf(s, "strategy", "", deploy.RollingUpdate, deploy.RollingUpdate, deploy.Recreate)
	d.Paused, d.Generation = OneIn(s, "paused", 7), OneOf[int64](s, "generation", 2, 3)
	d.Selector = OneOf(s, "selector", nil, nil, selector.FromLabels(map[string]string{"app": "web"}))
	if OneIn(s, "deleting", 13) {
		d.DeletionTimestamp = Now.Add(-time.Minute)
	}
	if OneIn(s, "roll back", 9) {
		d.Annotations = map[string]string{revision.AnnotationRollback: OneOf(s, "to", "0", "1", "2", "9"), revision.AnnotationLastApplied: "{}"}
	}
	template(s, &d)
	scaled, desired := Often(s, "scaled before", 1), size(s, "desired before", false)
	var sets []replicaset.ReplicaSet
	for n := range Between(s, "sets", 0, 4) {
		sets = append(sets, replicaSetOf(s, n+1, wild))
		if scaled {
			sets[n] = Sized(sets[n], desired, desired+OneOf[int32](s, "surge before", 0, 1, 1, 1, 3))
		}
	}
	snapshot := Sets(d, sets...)
	for i := range Between(s, "pods", 0, 2) {
		owner := OneOf(s, "owner", "v1", "v2", "x")
		snapshot.Pods = append(snapshot.Pods, podorder.Pod{
			Name: fmt.Sprint("p", i), UID: fmt.Sprint("p", i), ControllerKind: "ReplicaSet", ControllerName: "web-" + owner, ControllerUID: owner,
			Phase: OneOf(s, "phase", podorder.Running, podorder.Pending, podorder.Failed),
		})
	}
	snapshot.Deployment.Status.Conditions = progressing(s)
	return snapshot
}

func progressing(s Source) []kplan.Condition {
	if Often(s, "no condition", 1) {
		return nil
	}
	return []kplan.Condition{{
		Type: deploy.ConditionProgressing, Status: "True", Reason: OneOf(s, "reason", "ReplicaSetUpdated", "NewReplicaSetAvailable", "DeploymentPaused", "ProgressDeadlineExceeded"),
		LastUpdateTime: Now.Add(-OneOf(s, "updated", time.Second, time.Second+1, time.Minute, time.Hour)), LastTransitionTime: Now.Add(-time.Hour),
	}}
}

// replicaSetOf draws a ReplicaSet of a Deployment, or one like it.
func replicaSetOf(s Source, n int, wild bool) replicaset.ReplicaSet {
	wanted := size(s, "size", wild)
	most := wanted
	if !wild {
		most += 2
	}
	replicas := Between(s, "reported", 0, most)
	rs := Counted(Set(n, wanted), replicas, Between(s, "available", 0, min(wanted, replicas)))
	rs.Status.TerminatingReplicas = OneOf(s, "terminating", new(int32), new(int32), ptr.To(int32(2)), nil)
	if OneIn(s, "odd", 6) {
		rs.Status.AvailableReplicas = int32(min(int64(wanted)+OneOf[int64](s, "ahead", 1, 3), 1<<31-1))
	}
	if OneIn(s, "orphan", 9) {
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
	}
	if OneIn(s, "foreign", 9) {
		rs.ControllerUID = "other"
	}
	if OneIn(s, "unlabelled", 9) {
		rs.Labels = nil
	}
	if OneIn(s, "same age", 4) {
		rs.CreationTimestamp = Now.Add(-time.Hour)
	}
	if OneIn(s, "behind", 5) {
		rs.Generation = 2
	}
	if OneIn(s, "tampered", 9) {
		rs.Annotations = annotations(s, wanted)
	}
	return rs
}

// annotations draws annotations of a ReplicaSet that was scaled for a Deployment of some size, some
// of them missing or tampered with.
func annotations(s Source, right int32) map[string]string {
	m := map[string]string{}
	put := func(key, text string, present bool) {
		if present {
			m[key] = text
		}
	}
	for _, key := range []string{revision.AnnotationDesired, revision.AnnotationMax} {
		text, present := SizeText(s, key, right)
		put(key, text, present)
	}
	text, present := Revision(s, "revision")
	put(revision.AnnotationRevision, text, present)
	text, present = History(s, "history")
	put(revision.AnnotationHistory, text, present)
	return m
}

// midwayDeployment draws a moment of a rollout. In half of the cases new pods never become
// available.
func midwayDeployment(s Source) deploy.Snapshot {
	snapshot := caughtUpDeployment(s)
	broken := OneOf(s, "broken", "", snapshot.Deployment.Template.ID)
	for range Between(s, "passes", 1, 8) {
		p, err := deploy.Reconcile(snapshot, Now, deploy.Options{})
		if err == nil {
			snapshot, err = p.Apply(snapshot, Now)
		}
		if err != nil {
			panic(err) // the planner refuses a truthful snapshot, or its own plan
		}
		for i := range snapshot.ReplicaSets {
			rs := &snapshot.ReplicaSets[i]
			available := *rs.Replicas
			if rs.Template.ID == broken {
				available = min(available, rs.Status.AvailableReplicas)
			}
			rs.Status.ObservedGeneration, rs.Status.TerminatingReplicas = rs.Generation, new(int32)
			*rs = Counted(*rs, *rs.Replicas, available)
		}
	}
	return snapshot
}

// DeploymentOptions draws options: some repairs, and in half of the cases policies.
func DeploymentOptions(s Source) deploy.Options {
	o := deploy.Options{Repair: quirks(s, quirk.All)}
	if Bool(s, "policies") {
		o.Terminating = OneOf(s, "terminating policy", deploy.TerminationStarted, deploy.TerminationComplete, deploy.TerminationKnown)
		o.Paused = OneOf(s, "paused policy", deploy.PausedFill, deploy.PausedScale, deploy.PausedFreeze)
		o.RolloutFirst, o.WeighByAvailable = Bool(s, "rollout first"), Bool(s, "weigh")
		o.Leftover = OneOf(s, "leftover", deploy.LeftoverDefault, deploy.LeftoverLargest, deploy.LeftoverNewest)
		o.Adoption = OneOf(s, "adoption", deploy.AdoptAll, deploy.AdoptSameTemplate, deploy.AdoptNone)
		o.PausePoints, o.StrictAvailable = Bool(s, "points"), Bool(s, "strict")
	}
	return o
}

// Partitioned turns a Deployment into a partitioned one, in half of the cases with ReplicaSets of
// other ages.
func Partitioned(s Source, snapshot deploy.Snapshot) deploy.Snapshot {
	p := &partition.Strategy{}
	switch s.Below("partition is", 4) {
	case 0:
		p.Partition = OneOf(s, "partition", rollout.Int(0), rollout.Percent(0), rollout.Percent(100))
	case 1:
		p.Partition = rollout.Int(Between[int32](s, "partition", 0, 15) - 1)
	case 2:
		p.Partition = rollout.Percent(Between[int32](s, "partition", 0, 121) - 1)
	}
	if Often(s, "limits", 9) {
		p.RollingUpdate = &partition.RollingUpdate{MaxSurge: limit(s, "surge by partition"), MaxUnavailable: limit(s, "unavailable by partition")}
	}
	p.Paused = OneIn(s, "partition paused", 7)
	snapshot.Deployment.Partitioned, snapshot.Deployment.Strategy, snapshot.Deployment.Paused = p, deploy.Recreate, true
	snapshot.ReplicaSets = slices.Clone(snapshot.ReplicaSets)
	if Bool(s, "other ages") {
		for i := range snapshot.ReplicaSets {
			snapshot.ReplicaSets[i].CreationTimestamp = Now.Add(-time.Duration(Between(s, "age", 1, 9)) * time.Hour)
		}
	}
	return snapshot
}
