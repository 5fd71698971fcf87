// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// A deploymentOutcome is the result of a pass in a form that both sides share.
//
// A plan has one action where upstream makes several writes, so upstream's are normalised:
//
//   - Several changes of the size of one ReplicaSet are one, in the place of the first, and
//     likewise the events about them.
//   - A write without a change is left out. Upstream repeats the write of the new ReplicaSet from
//     its stale copy.
//   - Of the writes of the status, all but the last are dropped, except for the place at which the
//     revision annotation of the Deployment changes.
//   - Adoptions and releases come first and in any order: upstream's order is the order of its
//     cache.
type deploymentOutcome struct {
	Refused  bool     // no plan could be made, or the controller failed before it wrote
	Rejected []string // the fields that no plan can be made from
	Failed   bool     // the pass ends with an error
	Steps    []string // the writes in order, the status aside
	LiveRead bool     // the Deployment is read again before the adoptions
	Created  *appsv1.ReplicaSet
	Template *corev1.PodTemplateSpec // of the Deployment, if it is rolled back
	// Annotations are all that a Deployment has after a request for a rollback.
	Annotations map[string]string
	Sets        map[string]setOutcome // the ReplicaSets that are written
	Revision    string                // of the Deployment
	Status      appsv1.DeploymentStatus
	Events      []upstream.Event
	Recheck     string
}

// A setOutcome is the final state of a ReplicaSet.
type setOutcome struct {
	Replicas, MinReadySeconds int32
	Annotations               map[string]string
}

func outcomeOf(rs *appsv1.ReplicaSet) setOutcome {
	s := setOutcome{Replicas: *rs.Spec.Replicas, MinReadySeconds: rs.Spec.MinReadySeconds, Annotations: rs.Annotations}
	if len(s.Annotations) == 0 {
		s.Annotations = nil
	}
	return s
}

func (s setOutcome) equal(other setOutcome) bool {
	return s.Replicas == other.Replicas && s.MinReadySeconds == other.MinReadySeconds && maps.Equal(s.Annotations, other.Annotations)
}

// never is a recheck that is not asked for.
const never = "never"

// upstreamOutcome normalises the controller's writes.
func upstreamOutcome(c *gen.DeploymentCase, r upstream.Result) deploymentOutcome {
	o := deploymentOutcome{
		Sets: map[string]setOutcome{}, Revision: c.Deployment.Annotations[revision.AnnotationRevision],
		Status: c.Deployment.Status,
	}
	sizes := map[string]*scaling{}
	for _, w := range r.Writes {
		switch w := w.(type) {
		case upstream.CreateReplicaSet:
			o.Steps = append(o.Steps, fmt.Sprintf("create %s with %d", w.Object.Name, *w.Object.Spec.Replicas))
			o.Created = w.Object
		case upstream.UpdateReplicaSet:
			o.update(c, w.Object, sizes)
		case upstream.DeleteReplicaSet:
			o.Steps = append(o.Steps, "delete "+w.Name)
		case upstream.Patch:
			o.Steps = append(o.Steps, "patch "+w.Kind+" "+w.Name+" "+w.Body)
		case upstream.UpdateDeployment:
			o.rollBack(w.Object)
		case upstream.UpdateDeploymentStatus:
			if number := w.Annotations[revision.AnnotationRevision]; number != o.Revision {
				o.Revision = number
				o.Steps = append(o.Steps, "revision "+number)
			}
			o.Status = w.Status
		default:
			o.Steps = append(o.Steps, fmt.Sprintf("%T", w))
		}
	}
	for _, s := range sizes {
		o.Steps[s.step] = fmt.Sprintf("scale %s from %d to %d", s.name, s.from, s.to)
	}
	o.Failed = r.Err != nil || r.Panic != nil
	o.Refused = o.Failed && len(o.Steps) == 0
	o.LiveRead = r.LiveReads > 0
	o.sortClaims()
	o.Events = mergeEvents(r.Events)
	o.Recheck = recheckOf(r)
	normaliseStatus(&o.Status)
	return o
}

// recheckOf returns when a pass has asked for the next: in how long the deadline passes, to
// which upstream adds a second, or at once, if that is less than a second.
func recheckOf(r upstream.Result) string {
	for _, q := range r.Requeues {
		if q.RateLimited {
			return "now"
		}
		return (q.After - time.Second).String()
	}
	return never
}

// rollBack adds the write of a Deployment, which removes a request for a rollback and,
// unless nothing was found, goes back.
func (o *deploymentOutcome) rollBack(d *appsv1.Deployment) {
	o.Steps = append(o.Steps, "update the Deployment")
	o.Template = d.Spec.Template.DeepCopy()
	o.Template.Labels = withEntries(o.Template.Labels)
	o.Annotations = withEntries(d.Annotations)
}

// sortClaims sorts the patches that a pass starts with.
func (o *deploymentOutcome) sortClaims() {
	n := 0
	for n < len(o.Steps) && strings.HasPrefix(o.Steps[n], "patch ") {
		n++
	}
	slices.Sort(o.Steps[:n])
}

// A scaling is a change of size that later writes may extend.
type scaling struct {
	name     string
	step     int // its place in the steps
	from, to int32
}

// update adds a write of a ReplicaSet.
func (o *deploymentOutcome) update(c *gen.DeploymentCase, rs *appsv1.ReplicaSet, sizes map[string]*scaling) {
	if *rs.Spec.Replicas < 0 {
		o.Steps = append(o.Steps, "refused "+rs.Name)
		return
	}
	before, written := o.Sets[rs.Name]
	if !written && o.Created != nil && o.Created.Name == rs.Name {
		before = outcomeOf(o.Created)
	} else if !written {
		before = outcomeOf(find(c, rs.Name))
	}
	after := outcomeOf(rs)
	if before.equal(after) {
		return
	}
	o.Sets[rs.Name] = after
	s := sizes[rs.Name]
	switch {
	case before.Replicas == after.Replicas:
		o.Steps = append(o.Steps, "annotate "+rs.Name)
	case s != nil:
		s.to = after.Replicas
	default:
		sizes[rs.Name] = &scaling{rs.Name, len(o.Steps), before.Replicas, after.Replicas}
		o.Steps = append(o.Steps, "scale "+rs.Name)
	}
}

func find(c *gen.DeploymentCase, name string) *appsv1.ReplicaSet {
	for _, rs := range c.ReplicaSets {
		if rs.Name == name {
			return rs
		}
	}
	panic("a ReplicaSet that does not exist is written: " + name)
}

// mergeEvents makes one of several events about the size of one ReplicaSet.
func mergeEvents(events []upstream.Event) []upstream.Event {
	var merged []upstream.Event
next:
	for _, e := range events {
		subject, sizes, ok := strings.Cut(e.Message, " from ")
		if ok && e.Reason == "ScalingReplicaSet" {
			from, to, _ := strings.Cut(sizes, " to ")
			for i := range merged {
				if before, ok := strings.CutSuffix(merged[i].Message, " to "+from); ok && strings.HasPrefix(before, subject+" from ") {
					merged[i].Message = before + " to " + to
					continue next
				}
			}
		}
		merged = append(merged, e)
	}
	return merged
}

// normaliseStatus drops differences that the API does not keep: time zones, and nil against empty
// lists.
func normaliseStatus(s *appsv1.DeploymentStatus) {
	conditions := make([]appsv1.DeploymentCondition, len(s.Conditions))
	for i, c := range s.Conditions {
		c.LastUpdateTime, c.LastTransitionTime = utc(c.LastUpdateTime), utc(c.LastTransitionTime)
		conditions[i] = c
	}
	if s.Conditions = conditions; len(conditions) == 0 {
		s.Conditions = nil
	}
}

func utc(t metav1.Time) metav1.Time { return metav1.Time{Time: t.Round(0).UTC()} }

// planOutcome makes the plan for a case and carries it out on its objects. An API server refuses to
// create a ReplicaSet if its name is taken.
func planOutcome(c *gen.DeploymentCase, now time.Time) (deploymentOutcome, deploy.Plan, error) {
	refused := refusedDeployment(c)
	s, err := kube.Snapshot(c.Deployment, c.ReplicaSets, c.Pods)
	if err != nil {
		refused.Rejected = rejected(err)
		return refused, deploy.Plan{}, err
	}
	pass, err := deploy.NewPass(s, now, deploy.Options{})
	plan := pass.Plan
	if err != nil {
		refused.Rejected = rejected(err)
		return refused, plan, err
	}
	o := deploymentOutcome{Sets: map[string]setOutcome{}, Revision: refused.Revision, Status: refused.Status, Recheck: never}
	report, objects := deploy.Report{}, map[string]*appsv1.ReplicaSet{}
	for _, a := range plan.Actions {
		o.act(c, a, objects)
		outcome := kplan.Outcome{Answer: kplan.Done}
		if create, ok := a.(deploy.CreateReplicaSet); ok && slices.ContainsFunc(c.ReplicaSets, func(rs *appsv1.ReplicaSet) bool { return rs.Name == create.Name }) {
			outcome.Answer = kplan.AlreadyExists
		}
		if report.Outcomes = append(report.Outcomes, outcome); outcome.Answer != kplan.Done {
			break
		}
	}
	o.finish(pass.Finish(report), now)
	return o, plan, nil
}

// refusedDeployment is the outcome of a pass that only fails.
func refusedDeployment(c *gen.DeploymentCase) deploymentOutcome {
	o := deploymentOutcome{
		Refused: true, Failed: true, Sets: map[string]setOutcome{}, Revision: c.Deployment.Annotations[revision.AnnotationRevision],
		Status: c.Deployment.Status, Recheck: never,
	}
	normaliseStatus(&o.Status)
	return o
}

// finish adds how a pass ends.
func (o *deploymentOutcome) finish(r deploy.Result, now time.Time) {
	o.sortClaims()
	o.Failed = r.Err != nil
	for _, e := range r.Events {
		o.Events = append(o.Events, upstream.Event{Type: e.Type, Reason: e.Reason, Message: e.Message})
	}
	if r.WriteStatus {
		o.Status = kube.DeploymentStatus(r.Status)
		if number := r.Annotations[revision.AnnotationRevision]; number != o.Revision {
			o.Revision = number
			o.Steps = append(o.Steps, "revision "+number)
		}
	}
	if !r.RecheckAt.IsZero() {
		left := r.RecheckAt.Add(-1).Sub(now) // it is a nanosecond after the deadline
		if o.Recheck = left.String(); left < time.Second {
			o.Recheck = "now"
		}
	}
	normaliseStatus(&o.Status)
}

// rejected returns the paths of the fields that an error reports.
func rejected(err error) (paths []string) {
	if list, ok := err.(interface{ Unwrap() []error }); ok && len(list.Unwrap()) > 0 {
		if _, one := err.(*kplan.FieldError); !one {
			for _, e := range list.Unwrap() {
				paths = append(paths, rejected(e)...)
			}
			slices.Sort(paths)
			return paths
		}
	}
	if f := (*kplan.FieldError)(nil); errors.As(err, &f) {
		return []string{f.Path}
	}
	return []string{err.Error()}
}

// patchText returns the body of the only request of an action.
func patchText(list []kube.Request, err error) string { return string(must(list, err)[0].Patch.Data) }

// act adds an action of a plan. Objects are the ReplicaSets as changed so far.
func (o *deploymentOutcome) act(c *gen.DeploymentCase, a deploy.Action, objects map[string]*appsv1.ReplicaSet) {
	current := func(name string) *appsv1.ReplicaSet {
		if rs, ok := objects[name]; ok {
			return rs
		}
		return find(c, name)
	}
	store := func(rs *appsv1.ReplicaSet) {
		objects[rs.Name] = rs
		o.Sets[rs.Name] = outcomeOf(rs)
	}
	switch a := a.(type) {
	case deploy.AdoptReplicaSet:
		o.LiveRead = true
		o.Steps = append(o.Steps, "patch ReplicaSet "+a.Name+" "+patchText(kube.DeploymentRequests(c.Deployment, nil, a)))
	case deploy.ReleaseReplicaSet:
		o.Steps = append(o.Steps, "patch ReplicaSet "+a.Name+" "+patchText(kube.DeploymentRequests(c.Deployment, nil, a)))
	case deploy.RollBackDeployment:
		o.rollBack(kube.RolledBack(c.Deployment, current(a.Name), a))
	case deploy.ClearRollback:
		cleared := kube.RollbackCleared(c.Deployment, a)
		if o.Revision != c.Deployment.Annotations[revision.AnnotationRevision] { // as published in this pass
			cleared.Annotations[revision.AnnotationRevision] = o.Revision
		}
		o.rollBack(cleared)
	case deploy.CreateReplicaSet:
		o.Steps = append(o.Steps, fmt.Sprintf("create %s with %d", a.Name, a.Replicas))
		o.Created = kube.NewReplicaSet(c.Deployment, a)
	case deploy.AnnotateReplicaSet:
		o.Steps = append(o.Steps, "annotate "+a.Name)
		store(kube.Annotated(current(a.Name), a))
	case deploy.ScaleReplicaSet:
		o.Steps = append(o.Steps, fmt.Sprintf("scale %s from %d to %d", a.Name, a.From, a.To))
		store(kube.Scaled(current(a.Name), a))
	case deploy.AnnotateDeployment:
		o.Revision = a.Set[revision.AnnotationRevision]
		o.Steps = append(o.Steps, "revision "+o.Revision)
	case deploy.DeleteReplicaSet:
		o.Steps = append(o.Steps, "delete "+a.Name)
	default:
		o.Steps = append(o.Steps, fmt.Sprintf("%T", a))
	}
}
