// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// t0 is when every issue happens.
var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var corrected = deploy.Options{Repair: quirk.All}

// web returns a Deployment of template v2 without a deadline.
func web(replicas int32, change ...func(*deploy.Deployment)) deploy.Deployment {
	d := deploy.Deployment{
		Name: "web", UID: "web-uid", Generation: 2, Replicas: &replicas, Template: version("v2"),
		MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
		ProgressDeadlineSeconds: ptr.To(int32(deploy.NoLimit)),
	}
	for _, c := range change {
		c(&d)
	}
	return d
}

func version(id string) revision.Template { return revision.Template{ID: id, Hash: id} }

func limits(surge, unavailable int32) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) {
		d.MaxSurge, d.MaxUnavailable = rollout.Int(surge), rollout.Int(unavailable)
	}
}

func template(id string) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) { d.Template = version(id) }
}

func recreate(d *deploy.Deployment) { d.Strategy = deploy.Recreate }

func paused(d *deploy.Deployment) { d.Paused = true }

// progressing sets a deadline of a minute and the condition Progressing.
func progressing(status kplan.ConditionStatus, reason string, at time.Time) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) {
		d.ProgressDeadlineSeconds = ptr.To(int32(60))
		d.Status.Conditions = append(d.Status.Conditions, kplan.Condition{
			Type: deploy.ConditionProgressing, Status: status, Reason: reason, LastUpdateTime: at, LastTransitionTime: at,
		})
	}
}

// complete sets the status of a rollout that is over.
func complete(d *deploy.Deployment) {
	d.Status.ObservedGeneration, d.Status.Replicas, d.Status.UpdatedReplicas = d.Generation, *d.Replicas, *d.Replicas
	d.Status.ReadyReplicas, d.Status.AvailableReplicas = *d.Replicas, *d.Replicas
}

// set returns the ReplicaSet of template "v<n>", the n-th in age, with all pods
// available.
func set(n int, size int32, change ...func(*replicaset.ReplicaSet)) replicaset.ReplicaSet {
	v := "v" + strconv.Itoa(n)
	rs := replicaset.ReplicaSet{
		Name: "web-" + v, UID: v, ControllerUID: "web-uid", Generation: 1, CreationTimestamp: t0.Add(time.Duration(n-1440) * time.Minute),
		Replicas: &size, Template: version(v), Annotations: map[string]string{revision.AnnotationRevision: strconv.Itoa(n)},
	}
	counts(size, size)(&rs)
	for _, c := range change {
		c(&rs)
	}
	return rs
}

// counts sets how many pods a ReplicaSet reports, and how many of them available.
func counts(replicas, available int32) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) {
		rs.Status = replicaset.Status{
			ObservedGeneration: 1, Replicas: replicas, FullyLabeledReplicas: replicas, ReadyReplicas: available,
			AvailableReplicas: available, TerminatingReplicas: ptr.To(int32(0)),
		}
	}
}

// sized sets for which replicas a ReplicaSet was last scaled, and for how many at most.
func sized(desired, most int) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) {
		rs.Annotations[revision.AnnotationDesired] = strconv.Itoa(desired)
		rs.Annotations[revision.AnnotationMax] = strconv.Itoa(most)
	}
}

func numbered(text string) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) { rs.Annotations[revision.AnnotationRevision] = text }
}

func snapshot(d deploy.Deployment, sets ...replicaset.ReplicaSet) deploy.Snapshot {
	for i := range sets {
		if d.Annotations == nil && sets[i].Template.Same(d.Template) {
			d.Annotations = map[string]string{revision.AnnotationRevision: sets[i].Annotations[revision.AnnotationRevision]}
		}
	}
	return deploy.Snapshot{Deployment: d, ReplicaSets: sets}
}

func deployment(t *testing.T, s deploy.Snapshot, opts deploy.Options) deploy.Plan {
	t.Helper()
	p, err := deploy.Reconcile(s, t0, opts)
	require.NoError(t, err)
	return p
}

// writes returns the actions of a plan, in a few words each.
func writes(p deploy.Plan) string {
	var words []string
	for _, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			words = append(words, fmt.Sprintf("create %s %d", a.Name, a.Replicas))
		case deploy.ScaleReplicaSet:
			words = append(words, fmt.Sprintf("%s %d->%d", a.Name, a.From, a.To))
		case deploy.AnnotateReplicaSet:
			words = append(words, "annotate "+a.Name)
		case deploy.DeleteReplicaSet:
			words = append(words, "delete "+a.Name)
		case deploy.AdoptReplicaSet:
			words = append(words, "adopt "+a.Name)
		}
	}
	return strings.Join(words, ", ")
}

// condition returns a condition of a status, or an empty one.
func condition(s deploy.Status, kind string) (found kplan.Condition) {
	for _, c := range s.Conditions {
		if c.Type == kind {
			found = c
		}
	}
	return found
}

// plans checks the plan by default and with options.
func plans(s deploy.Snapshot, before string, opts deploy.Options, after string) func(t *testing.T) {
	return func(t *testing.T) {
		require.Equal(t, before, writes(deployment(t, s, deploy.Options{})), "default")
		require.Equal(t, after, writes(deployment(t, s, opts)), "with options")
	}
}
