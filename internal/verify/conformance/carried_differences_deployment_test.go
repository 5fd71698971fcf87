// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/revision"
)

// deploymentSubstitutions are about Deployments.
var deploymentSubstitutions = []substitution{
	{
		name:    "what follows the creation of a name that was seen to be taken is left to the next pass",
		reason:  "deploy.Pass.Finish: that it would be refused was planned, and so the plan ends there; upstream tries, and goes on with what it has made",
		answers: (*carriedPass).endsWithCreation,
		adjust:  endWithCreation,
	},
	{
		name:    itsOwn,
		reason:  "deploy.Pass.Finish: the pass fails after it has published the revision; upstream goes on to scale what it has just released",
		mode:    mode{fails: true},
		answers: (*carriedPass).endsWithItsOwn,
		adjust:  endWithCreation,
	},
	{
		name:   noRecheck,
		reason: "deploy, as in the comparison of plans: upstream goes on looking at a rollout whose condition says that it was complete",
		answers: func(p *carriedPass) []apiserver.Rule {
			if d, ok := p.cached[0].(*appsv1.Deployment); ok && p.ours.Recheck == never && p.upstream.Recheck != never && !p.ours.Failed {
				planned, ok := p.ours.Objects["Deployment "+p.owner.Name].(*appsv1.Deployment)
				if !ok {
					planned = d
				}
				if isComplete(&d.Status) && isComplete(&planned.Status) {
					return []apiserver.Rule{{}}
				}
			}
			return nil
		},
		adjust: func(p *carriedPass) { p.upstream.Recheck = p.ours.Recheck },
	},
	{
		name:   "a status is written once",
		reason: "deploy: at the end, unless it is the old one, and a revision goes along with a rollback; upstream publishes both before as well, and ends if that fails",
		answers: func(p *carriedPass) []apiserver.Rule {
			refused := slices.ContainsFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Status && c.Class != "" && c.Err != nil })
			fails := p.ours.Failed && (len(p.mine) == 0 || p.mine[len(p.mine)-1].Kind != p.kind) // elsewhere than in the rollback
			if p.kind != deploy.Kind || !refused || fails || p.count(p.mine, apiserver.Status, p.kind) > 0 {
				return nil
			}
			return []apiserver.Rule{{Verb: apiserver.Status, Kind: p.kind, Name: p.owner.Name, Count: 1 << 30, Class: apiserver.Done}}
		},
	},
	{
		name:   "the UID alone says whose a pod is",
		reason: "deploy: a Recreate update waits for a pod of an old ReplicaSet also if the name or kind in its owner reference is another; upstream does not see it",
		mode:   mode{byUID: true},
		answers: func(p *carriedPass) []apiserver.Rule {
			if d, ok := p.cached[0].(*appsv1.Deployment); ok && d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType && !slices.Equal(ownedByUID(p.cached), p.cached) {
				return []apiserver.Rule{{}}
			}
			return nil
		},
	},
	{
		name:   "an old ReplicaSet that cannot be shrunk fails the pass",
		reason: "deploy.Pass.Finish: upstream forgets the failure, and may go on to clean up; here it is an error, so that somebody tries again",
		mode:   mode{fails: true},
		answers: func(p *carriedPass) []apiserver.Rule {
			switch {
			case p.ourErr == nil || !shrinking.MatchString(p.ourErr.Error()):
				return nil
			case strings.Contains(p.note, "Deleted replica set "):
				return []apiserver.Rule{{}}
			}
			return []apiserver.Rule{{Verb: apiserver.Delete, Kind: "ReplicaSet", Of: 1, Count: 1 << 30, Class: apiserver.Dropped}}
		},
		adjust: func(p *carriedPass) {
			if !strings.Contains(p.note, "Deleted replica set ") {
				p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, func(w string) bool { return strings.HasPrefix(w, "delete ReplicaSet ") })
			}
		},
	},
	{
		name:   "a ReplicaSet that is shrunk for two reasons is shrunk at once",
		reason: "deploy: one action has the sum; upstream writes it twice, and a failure may come between",
		adjust: shrinkWholly,
		answers: func(p *carriedPass) []apiserver.Rule {
			if p.ours.Failed && len(p.halfShrunk()) > 0 {
				return []apiserver.Rule{{}}
			}
			return nil
		},
	},
}

// isComplete reports whether the condition of a rollout says that it is complete.
func isComplete(s *appsv1.DeploymentStatus) bool {
	c := progressing(s)
	return c != nil && c.Reason == "NewReplicaSetAvailable"
}

// endsWithCreation applies to passes that created a ReplicaSet that they expected to exist.
func (p *carriedPass) endsWithCreation() []apiserver.Rule {
	if name := takenName(p.last); name != "" && p.ours.Objects["created ReplicaSet "+name] != nil {
		deadline := p.cached[0].(*appsv1.Deployment).Spec.ProgressDeadlineSeconds
		return p.ending(deadline != nil && *deadline != math.MaxInt32)
	}
	return nil
}

// endsWithItsOwn applies to passes that could not create a ReplicaSet because the Deployment
// controls one of this name that its selector does not match. It has the template, so no collision
// is counted.
func (p *carriedPass) endsWithItsOwn() []apiserver.Rule {
	name := takenName(p.last)
	if d, ok := p.cached[0].(*appsv1.Deployment); ok && name != "" {
		if written, _ := p.ours.Objects["Deployment "+d.Name].(*appsv1.Deployment); written != nil && !equality.Semantic.DeepEqual(written.Status.CollisionCount, d.Status.CollisionCount) {
			return nil
		}
	}
	refused := slices.ContainsFunc(p.mine, func(c apiserver.Call) bool {
		return c.Verb == apiserver.Create && c.Kind == "ReplicaSet" && apierrors.IsAlreadyExists(c.Err)
	})
	if name != "" && refused && slices.ContainsFunc(p.cached, func(o metav1.Object) bool {
		return kindOf(o) == "ReplicaSet" && o.GetName() == name && metav1.IsControlledBy(o, p.cached[0])
	}) {
		return p.ending(false)
	}
	return nil
}

// newRevision finds the revision of a ReplicaSet that a plan creates.
var newRevision = regexp.MustCompile(`\(NewTemplate, revision (\d+)\)`)

// takenName is the name of a new ReplicaSet that a plan expects to be taken.
func takenName(plan string) string {
	before, _, held := strings.Cut(plan, " held back: "+string(reason.NameTaken))
	if !held {
		return ""
	}
	return before[strings.LastIndex(before, "\n")+1:]
}

// ending drops upstream's writes after the creation of a ReplicaSet and the status that reports it,
// with a condition or a new revision.
func (p *carriedPass) ending(condition bool) []apiserver.Rule {
	const all = 1 << 30
	creation := slices.IndexFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Create })
	from := p.count(p.theirs[:max(0, creation)], apiserver.Status, p.kind) // as of a condition that it was paused
	if m := newRevision.FindStringSubmatch(p.note); condition || m != nil && p.cached[0].GetAnnotations()[revision.AnnotationRevision] != m[1] {
		from++
	}
	rules := []apiserver.Rule{{Verb: apiserver.Status, Kind: p.kind, Name: p.owner.Name, From: from, Count: all, Class: apiserver.Dropped}}
	for _, of := range []callKind{{apiserver.Write, "ReplicaSet"}, {apiserver.Delete, "ReplicaSet"}, {apiserver.Write, p.kind}} {
		rules = append(rules, apiserver.Rule{Verb: of.verb, Kind: of.kind, Of: 1, Count: all, Class: apiserver.Dropped})
	}
	return rules
}

// endWithCreation removes upstream's events about those writes.
func endWithCreation(p *carriedPass) {
	end := slices.IndexFunc(p.upstream.Writes, func(w string) bool { return strings.HasPrefix(w, "create ReplicaSet ") })
	p.upstream.Writes = p.upstream.Writes[:end+1]
	tells := " " + takenName(p.last) + " from 0 to "
	p.upstream.Events = slices.DeleteFunc(p.upstream.Events, func(e upstream.Event) bool {
		return p.ours.Failed || !strings.Contains(e.Message, tells)
	})
	if !p.upstream.Failed {
		p.upstream.Recheck = p.ours.Recheck
	}
}

// ownedByUID returns the objects with the owner references of pods corrected: each names the
// ReplicaSet with its UID.
func ownedByUID(objects []metav1.Object) []metav1.Object {
	list := slices.Clone(objects)
	for i, o := range list {
		pod, ok := o.(*corev1.Pod)
		if !ok {
			continue
		}
		for k, ref := range pod.OwnerReferences {
			at := slices.IndexFunc(list, func(o metav1.Object) bool { return kindOf(o) == "ReplicaSet" && o.GetUID() == ref.UID })
			if at >= 0 && (ref.Name != list[at].GetName() || ref.Kind != "ReplicaSet") {
				pod = pod.DeepCopy()
				pod.OwnerReferences[k].Name, pod.OwnerReferences[k].Kind = list[at].GetName(), "ReplicaSet"
				list[i] = pod
			}
		}
	}
	return list
}

// shrunkTwice finds the sizes of ReplicaSets that upstream shrinks in two writes: first by
// the unhealthy pods.
var shrunkTwice = regexp.MustCompile(`Scaled down replica set (\S+) from (\d+) to (\d+) \(\w+, (\d+) unhealthy\)`)

// halfShrunk returns the ReplicaSets for which upstream has made only the first write, as name, old
// size, size between and new size.
func (p *carriedPass) halfShrunk() (sets [][4]string) {
	for _, m := range shrunkTwice.FindAllStringSubmatch(p.note, -1) {
		from, unhealthy := must(strconv.Atoi(m[2])), must(strconv.Atoi(m[4]))
		between := strconv.Itoa(from - unhealthy)
		rs, ok := p.upstream.Objects["ReplicaSet "+m[1]].(*appsv1.ReplicaSet)
		if ok && between != m[3] && strconv.Itoa(int(*rs.Spec.Replicas)) == between {
			sets = append(sets, [4]string{m[1], m[2], between, m[3]})
		}
	}
	return sets
}

func shrinkWholly(p *carriedPass) {
	for _, set := range p.halfShrunk() {
		rs := p.upstream.Objects["ReplicaSet "+set[0]].(*appsv1.ReplicaSet).DeepCopy()
		rs.Spec.Replicas = new(int32(must(strconv.Atoi(set[3]))))
		p.upstream.Objects["ReplicaSet "+set[0]] = rs
		text := "Scaled down replica set " + set[0] + " from " + set[1] + " to "
		for i, e := range p.upstream.Events {
			if e.Message == text+set[2] {
				p.upstream.Events[i].Message = text + set[3]
			}
		}
	}
}

// shrinking matches the error of an action after which upstream continues.
var shrinking = regexp.MustCompile(`^Scaled down .* \((RolloutDown|Unhealthy|TakenForOld)`)
