// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"context"
	"fmt"
	"slices"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	deploymentutil "k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
)

// parts is a Deployment with its ReplicaSets, from the arguments of an upstream helper. The objects
// get names, UIDs, owners, labels and templates, since upstream's fixtures are too incomplete to
// plan for.
type parts struct {
	d    *apps.Deployment
	sets []*apps.ReplicaSet
	pods []*v1.Pod
	from map[string]*apps.ReplicaSet // the original ReplicaSets, by name
}

const newest = "set-new"

func partsOf(d *apps.Deployment, newRS *apps.ReplicaSet, old []*apps.ReplicaSet) *parts {
	p := &parts{d: d.DeepCopy(), from: map[string]*apps.ReplicaSet{}}
	p.d.Name, p.d.Namespace, p.d.UID = "deployment", metav1.NamespaceDefault, "deployment"
	p.d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"of": "deployment"}}
	p.d.Spec.Template.Labels = map[string]string{"of": "deployment", "template": "new"}
	if newRS != nil {
		p.add(newest, newRS, "new")
	}
	for i, rs := range old {
		if rs != nil && rs != newRS {
			p.add(fmt.Sprint("set-", i), rs, fmt.Sprint("old-", i))
		}
	}
	return p
}

func (p *parts) add(name string, rs *apps.ReplicaSet, template string) *apps.ReplicaSet {
	c := rs.DeepCopy()
	c.Name, c.Namespace, c.UID, c.Labels = name, metav1.NamespaceDefault, types.UID(name), p.d.Spec.Selector.MatchLabels
	c.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(p.d, controllerKind)}
	c.Spec.Template = *p.d.Spec.Template.DeepCopy()
	c.Spec.Template.Labels["template"] = template
	p.sets, p.from[name] = append(p.sets, c), rs
	return c
}

func (p *parts) snapshot() (deploy.Snapshot, error) { return kube.Snapshot(p.d, p.sets, p.pods) }

func (p *parts) plan() (deploy.Plan, error) {
	ours("deploy.Reconcile")
	s, err := p.snapshot()
	if err != nil {
		return deploy.Plan{}, err
	}
	return deploy.Reconcile(s, nowFn(), deploy.Options{})
}

// scaled carries out the size changes of a whole plan that have one of these reasons, by updates of
// the ReplicaSets as upstream does. It returns the written objects.
func (dc *DeploymentController) scaled(ctx context.Context, p *parts, reasons ...kplan.Reason) (map[*apps.ReplicaSet]*apps.ReplicaSet, error) {
	plan, err := p.plan()
	if err != nil {
		return nil, err
	}
	written := map[*apps.ReplicaSet]*apps.ReplicaSet{}
	for _, a := range plan.Actions {
		a, ok := a.(deploy.ScaleReplicaSet)
		if !ok || !slices.Contains(reasons, a.Reason) {
			continue
		}
		rs := p.from[a.Name]
		updated, err := dc.client.AppsV1().ReplicaSets(rs.Namespace).Update(ctx, kube.Scaled(rs, a), metav1.UpdateOptions{})
		if err != nil {
			return written, err
		}
		written[rs] = updated
	}
	return written, nil
}

func (dc *DeploymentController) reconcileNewReplicaSet(ctx context.Context, allRSs []*apps.ReplicaSet, newRS *apps.ReplicaSet, deployment *apps.Deployment) (bool, error) {
	written, err := dc.scaled(ctx, partsOf(deployment, newRS, allRSs), reason.RolloutUp, reason.Surplus)
	return written[newRS] != nil, err
}

func (dc *DeploymentController) reconcileOldReplicaSets(ctx context.Context, allRSs []*apps.ReplicaSet, oldRSs []*apps.ReplicaSet, newRS *apps.ReplicaSet, deployment *apps.Deployment) (bool, error) {
	written, err := dc.scaled(ctx, partsOf(deployment, newRS, oldRSs), reason.Unhealthy, reason.RolloutDown)
	return len(written) > 0, err
}

func (dc *DeploymentController) scaleDownOldReplicaSetsForRecreate(ctx context.Context, oldRSs []*apps.ReplicaSet, deployment *apps.Deployment) (bool, error) {
	recreate := deployment.DeepCopy()
	recreate.Spec.Strategy = apps.DeploymentStrategy{Type: apps.RecreateDeploymentStrategyType}
	written, err := dc.scaled(ctx, partsOf(recreate, nil, oldRSs), reason.RecreateDown)
	for i, rs := range oldRSs {
		if written[rs] != nil {
			oldRSs[i] = written[rs]
		}
	}
	return len(written) > 0, err
}

// scale plans for a paused Deployment, which is only scaled.
func (dc *DeploymentController) scale(ctx context.Context, deployment *apps.Deployment, newRS *apps.ReplicaSet, oldRSs []*apps.ReplicaSet) error {
	paused := deployment.DeepCopy()
	paused.Spec.Paused = true
	_, err := dc.scaled(ctx, partsOf(paused, newRS, oldRSs), reason.Scaling, reason.Saturated)
	return err
}

func counts(list []*apps.ReplicaSet) []rollout.Set {
	sets := make([]rollout.Set, len(list))
	for i, rs := range list {
		sets[i] = rollout.Set{Wanted: *rs.Spec.Replicas, Available: rs.Status.AvailableReplicas, Age: i}
	}
	return sets
}

func byAge(list []*apps.ReplicaSet) {
	slices.SortStableFunc(list, func(a, b *apps.ReplicaSet) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
}

// shrink scales each ReplicaSet down by its entry in lost.
func (dc *DeploymentController) shrink(ctx context.Context, sets []*apps.ReplicaSet, lost []int32, deployment *apps.Deployment) error {
	for i, rs := range sets {
		_, updated, err := dc.scaleReplicaSet(ctx, rs, *rs.Spec.Replicas-lost[i], deployment, false)
		if err != nil {
			return err
		}
		sets[i] = updated
	}
	return nil
}

func (dc *DeploymentController) cleanupUnhealthyReplicas(ctx context.Context, oldRSs []*apps.ReplicaSet, deployment *apps.Deployment, maxCleanupCount int32) ([]*apps.ReplicaSet, int32, error) {
	ours("RemoveUnavailable")
	byAge(oldRSs)
	lost, sum, _ := rollout.RemoveUnavailable(counts(oldRSs), int64(maxCleanupCount), rollout.Counting{})
	err := dc.shrink(ctx, oldRSs, lost, deployment)
	return oldRSs, int32(sum), err
}

func (dc *DeploymentController) scaleDownOldReplicaSetsForRollingUpdate(ctx context.Context, allRSs []*apps.ReplicaSet, oldRSs []*apps.ReplicaSet, deployment *apps.Deployment) (int32, error) {
	ours("Spare, RemoveAvailable")
	byAge(oldRSs)
	b := rollout.Budget{Replicas: *deployment.Spec.Replicas, Unavailable: deploymentutil.MaxUnavailable(*deployment)}
	available := rollout.Available(rollout.Set{}, counts(allRSs), rollout.Counting{})
	sizes := make([]int32, len(oldRSs))
	for i, rs := range oldRSs {
		sizes[i] = *rs.Spec.Replicas
	}
	lost, sum := rollout.RemoveAvailable(sizes, rollout.Spare(b, available, rollout.Counting{}))
	return int32(sum), dc.shrink(ctx, oldRSs, lost, deployment)
}

// oldPodsRunning adds a ReplicaSet for pods of ReplicaSets that are not listed.
func oldPodsRunning(newRS *apps.ReplicaSet, oldRSs []*apps.ReplicaSet, podMap map[types.UID][]*v1.Pod) bool {
	ours("OldPodsRunning")
	zero := int32(0)
	d := &apps.Deployment{Spec: apps.DeploymentSpec{Replicas: &zero, Strategy: apps.DeploymentStrategy{Type: apps.RecreateDeploymentStrategyType}}}
	p := partsOf(d, newRS, oldRSs)
	for uid, pods := range podMap {
		i := slices.IndexFunc(p.sets, func(rs *apps.ReplicaSet) bool { return p.from[rs.Name].UID == uid })
		var rs *apps.ReplicaSet
		if i >= 0 {
			rs = p.sets[i]
		} else {
			rs = p.add("set-"+string(uid), &apps.ReplicaSet{Spec: apps.ReplicaSetSpec{Replicas: &zero}}, "of pods")
		}
		for n, pod := range pods {
			c := pod.DeepCopy()
			c.Name, c.Namespace = fmt.Sprint(uid, "-", n), metav1.NamespaceDefault
			c.UID = types.UID(c.Name)
			c.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(rs, apps.SchemeGroupVersion.WithKind("ReplicaSet"))}
			p.pods = append(p.pods, c)
		}
	}
	s, err := p.snapshot()
	if err != nil {
		panic(err)
	}
	running, err := deploy.OldPodsRunning(s, nowFn(), deploy.Options{})
	if err != nil {
		panic(err)
	}
	return running
}

func (dc *DeploymentController) syncRolloutStatus(ctx context.Context, allRSs []*apps.ReplicaSet, newRS *apps.ReplicaSet, d *apps.Deployment) error {
	plan, err := partsOf(d, newRS, allRSs).plan()
	if err != nil {
		return err
	}
	d.Status = kube.DeploymentStatus(plan.Status)
	_, err = dc.client.AppsV1().Deployments(d.Namespace).UpdateStatus(ctx, d, metav1.UpdateOptions{})
	return err
}

// requeueStuckDeployment plans for ReplicaSets that report the counts of the status. Our plan names
// the time of the next change, a nanosecond after the deadline; upstream returns the remaining time
// and requeues at once if it is below a second.
func (dc *DeploymentController) requeueStuckDeployment(ctx context.Context, d *apps.Deployment, newStatus apps.DeploymentStatus) time.Duration {
	if deploymentutil.GetDeploymentCondition(d.Status, apps.DeploymentProgressing) == nil {
		return dc.upstreamrequeueStuckDeployment(ctx, d, newStatus)
	}
	set := func(size, there, available int32) *apps.ReplicaSet {
		return &apps.ReplicaSet{
			Spec:   apps.ReplicaSetSpec{Replicas: &size},
			Status: apps.ReplicaSetStatus{Replicas: there, AvailableReplicas: available},
		}
	}
	old := set(0, newStatus.Replicas-newStatus.UpdatedReplicas, 0)
	plan, err := partsOf(d, set(*d.Spec.Replicas, newStatus.UpdatedReplicas, newStatus.AvailableReplicas), []*apps.ReplicaSet{old}).plan()
	if err != nil {
		panic(err)
	}
	now := nowFn()
	after := plan.RecheckAt.Add(-1).Sub(now)
	timedOut := func(list []kplan.Condition) bool {
		c, _ := deploy.GetCondition(list, deploy.ConditionProgressing)
		return c.Reason == deploymentutil.TimedOutReason
	}
	switch {
	case timedOut(plan.Status.Conditions) && !timedOut(kube.FromDeploymentStatus(d.Status).Conditions),
		!plan.RecheckAt.IsZero() && after < time.Second:
		return 0
	case plan.RecheckAt.IsZero():
		return -1
	}
	return after
}
