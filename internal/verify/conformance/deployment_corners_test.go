// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/revision"
)

// deploymentCorners are the corners that whole passes of Deployments must have met.
var deploymentCorners = []corner[*deploymentPass]{
	{"RollingUpdate", func(p *deploymentPass) bool {
		return p.c.Deployment.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType
	}},
	{"Recreate", func(p *deploymentPass) bool {
		return p.c.Deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
	}},
	{"unknown strategy", func(p *deploymentPass) bool { return p.c.Deployment.Spec.Strategy.Type == "Canary" }},
	{"no replicas set", unset(func(s *appsv1.DeploymentSpec) bool { return s.Replicas == nil })},
	{"no deadline set", unset(func(s *appsv1.DeploymentSpec) bool { return s.ProgressDeadlineSeconds == nil })},
	{"no history limit set", unset(func(s *appsv1.DeploymentSpec) bool { return s.RevisionHistoryLimit == nil })},
	{"no strategy set", unset(func(s *appsv1.DeploymentSpec) bool { return s.Strategy.Type == "" })},
	{"no surge set", unset(unsetSurge)},
	{"no unavailable set", unset(func(s *appsv1.DeploymentSpec) bool {
		r := s.Strategy.RollingUpdate
		return r != nil && r.MaxUnavailable == nil
	})},
	{"paused", func(p *deploymentPass) bool { return p.c.Deployment.Spec.Paused }},
	{"being deleted", func(p *deploymentPass) bool { return p.c.Deployment.DeletionTimestamp != nil }},
	{"rollback requested", func(p *deploymentPass) bool { return has(p.c.Deployment.Annotations, revision.AnnotationRollback) }},
	event("DeploymentRollback"), event("DeploymentRollbackRevisionNotFound"), event("DeploymentRollbackTemplateUnchanged"),
	{"rollback requested of a paused Deployment with too much history", func(p *deploymentPass) bool {
		_, requested := revision.RollbackRequest(p.c.Deployment.Annotations)
		return requested && p.c.Deployment.Spec.Paused && len(own(p)) > int(number(p.c.Deployment.Spec.RevisionHistoryLimit))+1 &&
			number(p.c.Deployment.Spec.RevisionHistoryLimit) >= 0
	}},
	{"rollback after the ReplicaSet is created", func(p *deploymentPass) bool { return steps("create", 1)(p) && steps("update", 1)(p) }},
	{"empty selector", func(p *deploymentPass) bool {
		s := p.c.Deployment.Spec.Selector
		return s != nil && s.MatchLabels == nil && s.MatchExpressions == nil
	}},
	event("SelectingAll"),
	{"selector of an empty map", func(p *deploymentPass) bool {
		s := p.c.Deployment.Spec.Selector
		return s != nil && s.MatchLabels != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0
	}},
	{"selector of an empty list", func(p *deploymentPass) bool {
		s := p.c.Deployment.Spec.Selector
		return s != nil && s.MatchExpressions != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0
	}},
	{"selector with expressions", func(p *deploymentPass) bool {
		s := p.c.Deployment.Spec.Selector
		return s != nil && len(s.MatchExpressions) > 0
	}},
	{"invalid selector", func(p *deploymentPass) bool {
		_, err := metav1.LabelSelectorAsSelector(p.c.Deployment.Spec.Selector)
		return err != nil
	}},
	{"no selector", func(p *deploymentPass) bool { return p.c.Deployment.Spec.Selector == nil }},
	{"adopts", claims(`"controller":true`, 1)}, {"adopts two", claims(`"controller":true`, 2)},
	{"releases", claims(`"$patch":"delete"`, 1)}, {"releases two", claims(`"$patch":"delete"`, 2)},
	{"adopts and releases", func(p *deploymentPass) bool {
		return claims(`"controller":true`, 1)(p) && claims(`"$patch":"delete"`, 1)(p)
	}},
	{"adopts the new ReplicaSet", func(p *deploymentPass) bool {
		return claims(`"controller":true`, 1)(p) && withTemplate(p) == 1 && !steps("create", 1)(p)
	}},
	{"matching orphan being deleted", orphan(func(p *deploymentPass, rs *appsv1.ReplicaSet) bool { return rs.DeletionTimestamp != nil })},
	{"matching orphan of a Deployment being deleted", orphan(func(p *deploymentPass, _ *appsv1.ReplicaSet) bool {
		return p.c.Deployment.DeletionTimestamp != nil
	})},
	{"matching orphan with an owner that does not control", orphan(func(_ *deploymentPass, rs *appsv1.ReplicaSet) bool {
		return len(rs.OwnerReferences) > 0
	})},
	{"0 replicas", func(p *deploymentPass) bool { return size(p) == 0 }},
	{"more than a million replicas", func(p *deploymentPass) bool { return size(p) > 1_000_000 }},
	{"2147483647 replicas", func(p *deploymentPass) bool { return size(p) == 1<<31-1 }},
	{"negative number", negative},
	{"no ReplicaSet", func(p *deploymentPass) bool { return len(own(p)) == 0 }},
	{"two ReplicaSets with the template", func(p *deploymentPass) bool { return withTemplate(p) > 1 }},
	{"no ReplicaSet with the template", func(p *deploymentPass) bool { return len(own(p)) > 0 && withTemplate(p) == 0 }},
	{"ReplicaSet of another owner", func(p *deploymentPass) bool { return len(own(p)) < len(p.c.ReplicaSets) }},
	{"ReplicaSet without UID", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.UID == "" })},
	{"ReplicaSet being deleted", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.DeletionTimestamp != nil })},
	{"ReplicaSet without creation time", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.CreationTimestamp.IsZero() })},
	{"ReplicaSet created in the future", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.CreationTimestamp.After(time.Now()) })},
	{"ReplicaSets created at once", func(p *deploymentPass) bool {
		sets := own(p)
		return len(sets) > 1 && sets[0].CreationTimestamp.Equal(&sets[1].CreationTimestamp)
	}},
	{"status ahead of size", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.Status.AvailableReplicas > *rs.Spec.Replicas })},
	{"status behind size", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.Status.AvailableReplicas < *rs.Spec.Replicas })},
	{"ReplicaSet not observed yet", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.Status.ObservedGeneration == 0 })},
	{"terminating pods not reported", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.Status.TerminatingReplicas == nil })},
	{"failing ReplicaSet", anySet(func(rs *appsv1.ReplicaSet) bool { return len(rs.Status.Conditions) > 0 })},
	{"revision missing", anySet(func(rs *appsv1.ReplicaSet) bool { return !has(rs.Annotations, revision.AnnotationRevision) })},
	{"revision unusable", anySet(func(rs *appsv1.ReplicaSet) bool {
		_, err := revision.Number(rs.Annotations)
		return err != nil
	})},
	{"desired-replicas missing", anySet(func(rs *appsv1.ReplicaSet) bool { return !has(rs.Annotations, revision.AnnotationDesired) })},
	{"desired-replicas beyond 32 bits", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.Annotations[revision.AnnotationDesired] == "4294967299" })},
	{"max-replicas unusable", anySet(func(rs *appsv1.ReplicaSet) bool { return rs.Annotations[revision.AnnotationMax] == "zz" })},
	{"history full", anySet(func(rs *appsv1.ReplicaSet) bool { return len(rs.Annotations[revision.AnnotationHistory]) > 1990 })},
	{"condition twice", func(p *deploymentPass) bool {
		c := p.c.Deployment.Status.Conditions
		return len(c) > 1 && c[0].Type == c[1].Type
	}},
	{"no deadline", func(p *deploymentPass) bool { return number(p.c.Deployment.Spec.ProgressDeadlineSeconds) == 1<<31-1 }},
	{"deadline missed in this pass", func(p *deploymentPass) bool { return becomes(p, "ProgressDeadlineExceeded") }},
	{"progress in this pass", func(p *deploymentPass) bool { return becomes(p, "ReplicaSetUpdated") }},
	{"complete in this pass", func(p *deploymentPass) bool { return becomes(p, "NewReplicaSetAvailable") }},
	{"paused in this pass", func(p *deploymentPass) bool { return becomes(p, "DeploymentPaused") }},
	{"resumed in this pass", func(p *deploymentPass) bool { return becomes(p, "DeploymentResumed") }},
	{"new ReplicaSet found in this pass", func(p *deploymentPass) bool { return becomes(p, "FoundNewReplicaSet") }},
	{"recheck later", func(p *deploymentPass) bool {
		return p.upstream.Recheck != "" && p.upstream.Recheck != never && p.upstream.Recheck != "now"
	}},
	{"recheck after writes", func(p *deploymentPass) bool { return len(p.result.Requeues) > 0 && len(p.result.Writes) > 0 }},
	{"recheck at once", func(p *deploymentPass) bool { return p.upstream.Recheck == "now" }},
	{"nothing to do", func(p *deploymentPass) bool { return len(p.result.Writes) == 0 }},
	{"creates", steps("create", 1)},
	{"name taken", func(p *deploymentPass) bool { return p.nameTaken() }},
	{"creates and scales in one pass", func(p *deploymentPass) bool { return steps("create", 1)(p) && steps("scale", 1)(p) }},
	{"annotates", steps("annotate", 1)},
	{"annotates twice", steps("annotate", 2)},
	{"publishes a revision", steps("revision", 1)},
	{"scales one", steps("scale", 1)},
	{"scales three", steps("scale", 3)},
	{"scales one ReplicaSet twice", func(p *deploymentPass) bool { return len(p.result.Events) > len(p.upstream.Events) }},
	{"scales to a negative size", func(p *deploymentPass) bool { return slices.ContainsFunc(p.upstream.Steps, refusedStep) }},
	{"deletes history", steps("delete", 1)},
	{"deletes several", steps("delete", 2)},
	acts(reason.NewTemplate), acts(reason.Revision), acts(reason.RolloutUp), acts(reason.RolloutDown),
	acts(reason.Unhealthy), acts(reason.Surplus), acts(reason.Scaling), acts(reason.Saturated),
	acts(reason.Orphan), acts(reason.NoMatch), acts(reason.Rollback), acts(reason.RecreateDown), acts(reason.RecreateUp), acts(reason.HistoryLimit),
	holds(reason.SurgeExhausted), holds(reason.MinAvailable), holds(reason.StatusAhead),
	holds(reason.OldPodsRemain), holds(reason.NothingToScale), holds(reason.HistoryNotEmpty),
	holds(reason.HistoryNotSynced), holds(reason.SelectingAll), holds(reason.RollbackNotFound),
	holds(reason.RollbackUnchanged),
	{"13 ReplicaSets", func(p *deploymentPass) bool { return len(own(p)) >= 13 }},
	{"upstream fails", func(p *deploymentPass) bool { return p.result.Err != nil }},
}

// event is the corner of a pass that tells people about something.
func event(reason string) corner[*deploymentPass] {
	return corner[*deploymentPass]{"event: " + reason, func(p *deploymentPass) bool {
		return slices.ContainsFunc(p.result.Events, func(e upstream.Event) bool { return e.Reason == reason })
	}}
}

// claims reports whether at least n of upstream's patches contain a text.
func claims(text string, n int) func(*deploymentPass) bool {
	return func(p *deploymentPass) bool {
		found := 0
		for _, w := range p.result.Writes {
			if patch, ok := w.(upstream.Patch); ok && strings.Contains(patch.Body, text) {
				found++
			}
		}
		return found >= n
	}
}

// orphan reports whether some ReplicaSet that the selector matches has no controller
// and is of some kind.
func orphan(is func(*deploymentPass, *appsv1.ReplicaSet) bool) func(*deploymentPass) bool {
	return func(p *deploymentPass) bool {
		s, err := metav1.LabelSelectorAsSelector(p.c.Deployment.Spec.Selector)
		return err == nil && slices.ContainsFunc(p.c.ReplicaSets, func(rs *appsv1.ReplicaSet) bool {
			return metav1.GetControllerOf(rs) == nil && s.Matches(labels.Set(rs.Labels)) && is(p, rs)
		})
	}
}

// acts is the corner of a plan that does something for a reason.
func acts(reason kplan.Reason) corner[*deploymentPass] {
	return corner[*deploymentPass]{"plan: " + string(reason), func(p *deploymentPass) bool {
		return slices.ContainsFunc(p.plan.Actions, func(a deploy.Action) bool {
			return reflect.ValueOf(a).FieldByName("Reason").String() == string(reason)
		})
	}}
}

// holds is the corner of a plan that holds something back for a reason.
func holds(reason kplan.Reason) corner[*deploymentPass] {
	return corner[*deploymentPass]{"plan held back: " + string(reason), func(p *deploymentPass) bool {
		return slices.ContainsFunc(p.plan.Holds, func(h kplan.Hold) bool { return h.Reason == reason })
	}}
}

func has(m map[string]string, key string) bool { _, ok := m[key]; return ok }

func number(n *int32) int32 {
	if n == nil {
		return -1
	}
	return *n
}

func size(p *deploymentPass) int32 { return number(p.c.Deployment.Spec.Replicas) }

func negative(p *deploymentPass) bool {
	s := &p.c.Deployment.Spec
	for _, n := range []*int32{s.Replicas, s.ProgressDeadlineSeconds, s.RevisionHistoryLimit, &s.MinReadySeconds} {
		if n != nil && *n < 0 {
			return true
		}
	}
	return anySet(func(rs *appsv1.ReplicaSet) bool { return *rs.Spec.Replicas < 0 })(p)
}

// own returns the ReplicaSets that upstream keeps or adopts.
func own(p *deploymentPass) []*appsv1.ReplicaSet {
	d, sets := p.in.Deployment, []*appsv1.ReplicaSet{}
	s, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	for _, rs := range p.in.ReplicaSets {
		if err == nil && s.Matches(labels.Set(rs.Labels)) && (metav1.IsControlledBy(rs, d) ||
			metav1.GetControllerOf(rs) == nil && d.DeletionTimestamp == nil && rs.DeletionTimestamp == nil) {
			sets = append(sets, rs)
		}
	}
	return sets
}

func withTemplate(p *deploymentPass) (n int) {
	image := p.c.Deployment.Spec.Template.Spec.Containers[0].Image
	for _, rs := range own(p) {
		if rs.Spec.Template.Spec.Containers[0].Image == image {
			n++
		}
	}
	return n
}

func anySet(is func(*appsv1.ReplicaSet) bool) func(*deploymentPass) bool {
	return func(p *deploymentPass) bool {
		return slices.ContainsFunc(own(p), is)
	}
}

// becomes reports whether the pass gives Progressing a reason.
func becomes(p *deploymentPass, reason string) bool {
	now := metav1.Now()
	for _, c := range p.upstream.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Reason == reason && c.LastUpdateTime.Equal(&now) {
			return c.Status != corev1.ConditionStatus("")
		}
	}
	return false
}

// steps reports whether upstream does something at least n times.
func steps(verb string, n int) func(*deploymentPass) bool {
	return func(p *deploymentPass) bool {
		found := 0
		for _, s := range p.upstream.Steps {
			if strings.HasPrefix(s, verb+" ") {
				found++
			}
		}
		return found >= n
	}
}

func (p *deploymentPass) nameTaken() bool {
	for _, w := range p.result.Writes {
		if create, ok := w.(upstream.CreateReplicaSet); ok && create.Err != nil {
			return true
		}
	}
	return false
}
