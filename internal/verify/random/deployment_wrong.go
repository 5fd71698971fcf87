// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// tamperedDeployment turns a snapshot into one that no cluster shows, but planners accept.
func tamperedDeployment(s Source, snapshot deploy.Snapshot) deploy.Snapshot {
	d := &snapshot.Deployment
	d.Replicas = anySize(s, "replicas")
	d.Strategy = OneOf(s, "strategy", "", deploy.RollingUpdate, deploy.Recreate)
	d.Paused = Bool(s, "paused")
	d.MinReadySeconds = OneOf[int32](s, "min ready", 0, 5, math.MaxInt32)
	d.DeletionTimestamp = OneOf(s, "deleting", time.Time{}, time.Time{}, time.Time{}, Now)
	d.Annotations = OneOf(s, "annotations", nil, map[string]string{"team": "shop"}, map[string]string{revision.AnnotationRevision: "x", "a": "b"})
	for range Between(s, "conditions", 0, 4) {
		d.Status.Conditions = append(d.Status.Conditions, kplan.Condition{
			Type:   OneOf(s, "type", "Available", "Progressing", "ReplicaFailure", "Mine"),
			Status: OneOf[kplan.ConditionStatus](s, "status", "True", "False", "Unknown", ""),
			Reason: OneOf(s, "reason", "", "DeploymentPaused", "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "ReplicaSetUpdated"),

			LastUpdateTime: OneOf(s, "updated", time.Time{}, Now, Now.Add(time.Hour), Now.Add(-time.Hour)),
		})
	}
	d.Status.Replicas = Number(s, "reported by the Deployment")
	d.Selector = OneOf(s, "selector", nil, &selector.LabelSelector{}, selector.FromLabels(map[string]string{"app": "web"}),
		&selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Exists"}}})
	if !Often(s, "no rollback", 5) {
		d.Annotations = map[string]string{revision.AnnotationRollback: OneOf(s, "to", "0", "1", "2", "9", "x")}
	}
	for i := range snapshot.ReplicaSets {
		tamper(s, &snapshot.ReplicaSets[i])
	}
	for n := range Between(s, "pods", 0, 5) {
		snapshot.Pods = append(snapshot.Pods, podorder.Pod{
			Name: fmt.Sprint("p", n), Phase: OneOf(s, "phase", "", podorder.Running, podorder.Failed),
			ControllerUID: OneOf(s, "owner", "", "v1", "v2", "x"), UID: OneOf(s, "uid", "", fmt.Sprint("u", n), fmt.Sprint("u;", n)),
			Annotations: point(s),
		})
	}
	if Bool(s, "settled") { // the plan does not change the status
		p, err := deploy.Reconcile(snapshot, Now, deploy.Options{})
		if err != nil {
			panic(err) // the planner should accept it
		}
		d.Status = p.Status
	}
	return snapshot
}

// point draws the annotation of a pause point, or none.
func point(s Source) map[string]string {
	return OneOf(s, "point", nil, map[string]string{pausepoint.Annotation: "before"}, map[string]string{pausepoint.Annotation: "after"})
}

// WithPods adds pods of its ReplicaSets, some with a pause point. One in three has the UID of the pod
// before it, mostly with its name as well.
func WithPods(s Source, snapshot deploy.Snapshot) deploy.Snapshot {
	snapshot.Pods = slices.Clone(snapshot.Pods)
	for i := range snapshot.ReplicaSets {
		for n := range Between(s, "pods of set", 0, 3) {
			p := podorder.Pod{ControllerUID: snapshot.ReplicaSets[i].UID, Phase: podorder.Running, Annotations: point(s)}
			p.Name = fmt.Sprintf("s%d-%d", i, n)
			p.UID = "u" + p.Name
			if before := len(snapshot.Pods) - 1; before >= 0 && OneIn(s, "twin", 3) {
				p.UID = snapshot.Pods[before].UID
				if Often(s, "of one name", 3) {
					p.Name = snapshot.Pods[before].Name
				}
			}
			snapshot.Pods = append(snapshot.Pods, p)
		}
	}
	return snapshot
}

// anySize draws any size, or none.
func anySize(s Source, name string) *int32 {
	if s.Below(name+" is unset", 2) == 0 {
		return nil
	}
	return ptr.To(Size(s, name))
}

func tamper(s Source, rs *replicaset.ReplicaSet) {
	rs.Replicas = anySize(s, "size")
	rs.Annotations = annotations(s, Between[int32](s, "right", 0, 12))
	if !Often(s, "status as before", 4) {
		rs.Status.Replicas, rs.Status.AvailableReplicas = Number(s, "reported"), Number(s, "available")
		rs.Status.TerminatingReplicas = nil
	}
	rs.Labels = OneOf(s, "labels", nil, map[string]string{"app": "web"}, map[string]string{"app": "db"})
	rs.Generation = Between[int64](s, "generation", 0, 3)
	rs.ControllerUID = OneOf(s, "owner", "web-uid", "web-uid", "web-uid", "", "other")
	if rs.ControllerUID == "" {
		rs.ControllerKind, rs.ControllerName = "", ""
	}
	if Bool(s, "failing") {
		rs.Status.Conditions = []kplan.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", LastTransitionTime: Now}}
	}
}

// wrongDeployment turns a snapshot into one that planners may refuse.
func wrongDeployment(s Source, snapshot deploy.Snapshot) deploy.Snapshot {
	for i := range snapshot.ReplicaSets {
		rs := &snapshot.ReplicaSets[i]
		switch Between(s, "break", 0, 9) {
		case 0:
			rs.Replicas = nil
		case 1:
			rs.Replicas = ptr.To(int32(-1))
		case 2:
			rs.UID, rs.Name = "v1", "web-v1"
		case 3:
			rs.Status = replicaset.Status{Replicas: Number(s, "r"), AvailableReplicas: Number(s, "a"), ReadyReplicas: Number(s, "y")}
		case 4:
			rs.Annotations = nil
		case 5:
			rs.Name = ""
		}
	}
	if Bool(s, "pods with pause points") {
		snapshot = WithPods(s, snapshot)
	}
	d := &snapshot.Deployment
	d.Replicas = OneOf(s, "broken replicas", nil, d.Replicas, ptr.To(int32(-3)), ptr.To(int32(math.MaxInt32)))
	d.Selector = OneOf(s, "broken selector", nil, &selector.LabelSelector{}, &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "?"}}})
	d.UID = OneOf(s, "uid", "web-uid", "")
	return snapshot
}
