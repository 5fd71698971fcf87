// SPDX-License-Identifier: Apache-2.0

package util

import (
	"context"
	"maps"
	"strconv"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/klog/v2"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func EqualIgnoreHash(template1, template2 *v1.PodTemplateSpec) bool {
	ours("TemplateID")
	return kube.TemplateID(template1) == kube.TemplateID(template2)
}

func split(deployment *apps.Deployment, list []*apps.ReplicaSet) (newest int, old []int) {
	ours("revision.Split")
	return revision.Split(kube.Entries(list), kube.Template(&deployment.Spec.Template, nil))
}

func FindNewReplicaSet(deployment *apps.Deployment, rsList []*apps.ReplicaSet) *apps.ReplicaSet {
	if newest, _ := split(deployment, rsList); newest >= 0 {
		return rsList[newest]
	}
	return nil
}

// FindOldReplicaSets leaves out all ReplicaSets with the UID of the new one, like upstream: the
// fixtures of tests share one.
func FindOldReplicaSets(deployment *apps.Deployment, rsList []*apps.ReplicaSet) ([]*apps.ReplicaSet, []*apps.ReplicaSet) {
	var wanted, all []*apps.ReplicaSet
	newest, old := split(deployment, rsList)
	for _, i := range old {
		rs := rsList[i]
		if newest >= 0 && rs.UID == rsList[newest].UID {
			continue
		}
		all = append(all, rs)
		if *rs.Spec.Replicas != 0 {
			wanted = append(wanted, rs)
		}
	}
	return wanted, all
}

func ResolveFenceposts(maxSurge, maxUnavailable *intstr.IntOrString, desired int32) (int32, int32, error) {
	ours("Fenceposts")
	surge, err := kube.IntOrPercent(maxSurge)
	if err != nil {
		return 0, 0, err
	}
	unavailable, err := kube.IntOrPercent(maxUnavailable)
	if err != nil {
		return 0, 0, err
	}
	up, down := rollout.Fenceposts(desired, surge, unavailable)
	return up, down, nil
}

// budget returns the budget of a rolling update, and no limits for other strategies.
func budget(d *apps.Deployment) rollout.Budget {
	ours("rollout.Resolve")
	r := d.Spec.Strategy.RollingUpdate
	if d.Spec.Strategy.Type != apps.RollingUpdateDeploymentStrategyType || r == nil {
		return rollout.Budget{Replicas: *d.Spec.Replicas, Unavailable: *d.Spec.Replicas}
	}
	surge, err1 := kube.IntOrPercent(r.MaxSurge)
	unavailable, err2 := kube.IntOrPercent(r.MaxUnavailable)
	if err1 != nil || err2 != nil {
		return rollout.Budget{Replicas: *d.Spec.Replicas}
	}
	return rollout.Resolve(*d.Spec.Replicas, surge, unavailable)
}

func MaxUnavailable(deployment apps.Deployment) int32 {
	if !IsRollingUpdate(&deployment) {
		return 0
	}
	return budget(&deployment).Unavailable
}

func MaxSurge(deployment apps.Deployment) int32 { return budget(&deployment).Surge }

func MinAvailable(deployment *apps.Deployment) int32 { return budget(deployment).MinAvailable() }

func NewRSNewReplicas(deployment *apps.Deployment, allRSs []*apps.ReplicaSet, newRS *apps.ReplicaSet) (int32, error) {
	switch deployment.Spec.Strategy.Type {
	case apps.RollingUpdateDeploymentStrategyType:
		ours("Grow")
		total := int64(GetReplicaCountForReplicaSets(allRSs))
		return rollout.Grow(budget(deployment), total, *newRS.Spec.Replicas, rollout.Counting{}), nil
	case apps.RecreateDeploymentStrategyType:
		ours("Recreate")
		size, _ := rollout.Recreate(*deployment.Spec.Replicas, 0, 0)
		return size, nil
	}
	return upstreamNewRSNewReplicas(deployment, allRSs, newRS)
}

func getReplicaSetFraction(logger klog.Logger, rs apps.ReplicaSet, d apps.Deployment) int32 {
	ours("Fraction")
	before, ok := getMaxReplicasAnnotation(logger, &rs)
	if !ok || before == 0 {
		before = d.Status.Replicas
	}
	return int32(rollout.Fraction(budget(&d), *rs.Spec.Replicas, before, rollout.Counting{}))
}

func IsSaturated(deployment *apps.Deployment, rs *apps.ReplicaSet) bool {
	if rs == nil {
		return false
	}
	recorded, err := strconv.Atoi(rs.Annotations[DesiredReplicasAnnotation])
	if err != nil {
		return false
	}
	ours("Saturated")
	set := rollout.Set{Wanted: *rs.Spec.Replicas, Available: rs.Status.AvailableReplicas}
	return rollout.Saturated(set, int32(recorded), *deployment.Spec.Replicas)
}

// SetNewReplicaSetAnnotations uses Sync for an existing ReplicaSet, and AppendHistory for the
// history, since it takes a limit.
func SetNewReplicaSetAnnotations(ctx context.Context, deployment *apps.Deployment, newRS *apps.ReplicaSet, newRevision string, exists bool, revHistoryLimitInChars int) bool {
	next, err := strconv.ParseInt(newRevision, 10, 64)
	if err != nil {
		return upstreamSetNewReplicaSetAnnotations(ctx, deployment, newRS, newRevision, exists, revHistoryLimitInChars)
	}
	if !exists {
		ours("CreationAnnotations")
		newRS.Annotations = revision.CreationAnnotations(deployment.Annotations, next, *deployment.Spec.Replicas, *deployment.Spec.Replicas+MaxSurge(*deployment))
		return true
	}
	ours("revision.Sync, AppendHistory")
	before := newRS.Annotations
	set, changed := revision.Sync(deployment.Annotations, before, next)
	newRS.Annotations = maps.Clone(before)
	if newRS.Annotations == nil {
		newRS.Annotations = map[string]string{}
	}
	maps.Copy(newRS.Annotations, set)
	if _, appended := set[RevisionHistoryAnnotation]; appended {
		newRS.Annotations[RevisionHistoryAnnotation] = revision.AppendHistory(before[RevisionHistoryAnnotation], before[RevisionAnnotation], revHistoryLimitInChars)
	}
	return changed
}

func sizes(desiredReplicas, maxReplicas int32) map[string]string {
	ours("CreationAnnotations")
	all := revision.CreationAnnotations(nil, 1, desiredReplicas, maxReplicas)
	return map[string]string{DesiredReplicasAnnotation: all[DesiredReplicasAnnotation], MaxReplicasAnnotation: all[MaxReplicasAnnotation]}
}

func ReplicasAnnotationsNeedUpdate(rs *apps.ReplicaSet, desiredReplicas, maxReplicas int32) bool {
	after := maps.Clone(rs.Annotations)
	if after == nil {
		after = map[string]string{}
	}
	maps.Copy(after, sizes(desiredReplicas, maxReplicas))
	return !maps.Equal(after, rs.Annotations)
}

func SetReplicasAnnotations(rs *apps.ReplicaSet, desiredReplicas, maxReplicas int32) bool {
	if !ReplicasAnnotationsNeedUpdate(rs, desiredReplicas, maxReplicas) {
		return false
	}
	rs.Annotations = maps.Clone(rs.Annotations)
	if rs.Annotations == nil {
		rs.Annotations = map[string]string{}
	}
	maps.Copy(rs.Annotations, sizes(desiredReplicas, maxReplicas))
	return true
}

func GetDeploymentCondition(status apps.DeploymentStatus, condType apps.DeploymentConditionType) *apps.DeploymentCondition {
	ours("deploy.GetCondition")
	c, ok := deploy.GetCondition(kube.FromDeploymentStatus(status).Conditions, string(condType))
	if !ok {
		return nil
	}
	condition := kube.DeploymentCondition(c)
	return &condition
}

func SetDeploymentCondition(status *apps.DeploymentStatus, condition apps.DeploymentCondition) {
	ours("deploy.SetCondition")
	list := deploy.SetCondition(kube.FromDeploymentStatus(*status).Conditions, kube.FromDeploymentCondition(condition))
	status.Conditions = kube.DeploymentStatus(deploy.Status{Conditions: list}).Conditions
}

func RemoveDeploymentCondition(status *apps.DeploymentStatus, condType apps.DeploymentConditionType) {
	ours("deploy.RemoveCondition")
	list := deploy.RemoveCondition(kube.FromDeploymentStatus(*status).Conditions, string(condType))
	status.Conditions = kube.DeploymentStatus(deploy.Status{Conditions: list}).Conditions
}

func DeploymentComplete(deployment *apps.Deployment, newStatus *apps.DeploymentStatus) bool {
	ours("Complete")
	return deploy.Complete(kube.FromDeploymentStatus(*newStatus), *deployment.Spec.Replicas, deployment.Generation)
}

func DeploymentProgressing(deployment *apps.Deployment, newStatus *apps.DeploymentStatus) bool {
	ours("Progressed")
	return deploy.Progressed(kube.FromDeploymentStatus(deployment.Status), kube.FromDeploymentStatus(*newStatus))
}

func DeploymentTimedOut(ctx context.Context, deployment *apps.Deployment, newStatus *apps.DeploymentStatus) bool {
	if !HasProgressDeadline(deployment) {
		return false
	}
	ours("TimedOut")
	var progressing *kplan.Condition
	if c, ok := deploy.GetCondition(kube.FromDeploymentStatus(*newStatus).Conditions, string(apps.DeploymentProgressing)); ok {
		progressing = &c
	}
	return deploy.TimedOut(progressing, *deployment.Spec.ProgressDeadlineSeconds, nowFn())
}

func GetDeploymentsForReplicaSet(lister appslisters.DeploymentLister, rs *apps.ReplicaSet) ([]*apps.Deployment, error) {
	ours("ControllersSelecting")
	list, err := lister.Deployments(rs.Namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	controllers := make([]claim.Controller, len(list))
	for i, d := range list {
		s, err := selector.FromLabelSelector(kube.LabelSelector(d.Spec.Selector))
		if err != nil {
			s = selector.Nothing()
		}
		controllers[i].Owner = kube.Owner(d, apps.SchemeGroupVersion.WithKind("Deployment"), s)
	}
	child := kube.Child(rs)
	var found []*apps.Deployment
	for _, i := range claim.ControllersSelecting(&child, controllers) {
		found = append(found, list[i])
	}
	if len(found) == 0 {
		return upstreamGetDeploymentsForReplicaSet(lister, rs) // for the text of its error
	}
	return found, nil
}
