package conformance

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/conformance/upstream"
	"github.com/kplan-go/kplan/revision"
)

// substitutions is the complete list of what is meant to differ from upstream when plans
// are carried out.
var substitutions = []substitution{
	{
		name:   "what has changed is not written",
		reason: "kube, Executor: a write has the version that the plan rests on as a precondition; upstream deletes by name and adopts anything",
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				switch {
				case c.Class.CarriedOut() && !c.Changed && c.Verb != apiserver.Status && c.Verb != apiserver.Get && p.changedBy(c):
					return c.Class // refused behind an answer that was lost
				case c.Class != "" || c.Verb == apiserver.Status:
				case apierrors.IsConflict(c.Err):
					return left(c)
				case apierrors.IsInvalid(c.Err) && c.Verb == apiserver.Write: // another UID
					return apiserver.Invalid
				}
				return ""
			})
		},
	},
	{
		name:   "a pod whose deletion was answered 409 is left alone",
		reason: "kube, Executor: the precondition may have failed; upstream has none and takes it for an error",
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				if c.Class == apiserver.Conflict && c.Verb == apiserver.Delete && c.Kind == "Pod" {
					return left(c)
				}
				return ""
			})
		},
	},
	{
		name:   "a status that was refused is left to the next pass",
		reason: "kube: a status is written once, at the end, over the version that it was computed from; upstream reads the owner again, or ends at the first of several writes",
		mode:   mode{fails: true},
		adjust: revisionStays,
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				switch {
				case c.Verb != apiserver.Status || c.Err == nil:
					return ""
				case c.Changed:
					return apiserver.Done
				}
				return apiserver.Dropped
			})
		},
	},
	{
		name:   "a status that stays as it is is not written",
		reason: "daemonset.Finish: while it waits, upstream writes a status that does not say that the generation was observed, also over one that its cache has not seen, and may fail",
		answers: func(p *carriedPass) []apiserver.Rule {
			ds, ok := p.cached[0].(*appsv1.DaemonSet)
			first := slices.IndexFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Status })
			behind := first >= 0 && p.theirs[first].Class == "" && apierrors.IsConflict(p.theirs[first].Err)
			changed := slices.ContainsFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Status && c.Changed })
			if ok && (behind || !changed) && p.count(p.mine, apiserver.Status, p.kind) == 0 && p.count(p.theirs, apiserver.Status, p.kind) > 0 &&
				ds.Status.ObservedGeneration < ds.Generation && strings.Contains(p.note, "held back: "+string(daemonset.ReasonUnseen)) {
				return []apiserver.Rule{{Verb: apiserver.Status, Kind: p.kind, Name: p.owner.Name, Count: 1 << 30, Class: apiserver.Dropped}}
			}
			return nil
		},
	},
	{
		name:   "a revision goes with the rollback",
		reason: "deploy: one write has both; upstream publishes the revision before, as part of a status, and ends if that fails",
		answers: func(p *carriedPass) []apiserver.Rule {
			first := slices.IndexFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Status })
			if first < 0 || p.theirs[first].Class == "" || p.theirs[first].Err == nil || p.count(p.mine, apiserver.Status, p.kind) > 0 || !revisionWithRollback.MatchString(p.note) {
				return nil
			}
			return []apiserver.Rule{{Verb: apiserver.Status, Kind: p.kind, Name: p.owner.Name, Count: 1, Class: apiserver.Done}}
		},
	},
	{
		name:    "what follows the creation of a name that was seen to be taken is left to the next pass",
		reason:  "deploy.Finish: that it would be refused was planned, and so the plan ends there; upstream tries, and goes on with what it has made",
		answers: (*carriedPass).endsWithCreation,
		adjust:  endWithCreation,
	},
	{
		name:    "a ReplicaSet that was released is not the new one, though it has the name",
		reason:  "deploy.Finish: the pass fails after it has published the revision; upstream goes on to scale what it has just released",
		mode:    mode{fails: true},
		answers: (*carriedPass).endsWithItsOwn,
		adjust:  endWithCreation,
	},
	{
		name:   "no recheck of a condition that cannot time out",
		reason: "deploy, as in the comparison of plans: upstream goes on looking at a rollout whose condition says that it was complete",
		answers: func(p *carriedPass) []apiserver.Rule {
			if d, ok := p.cached[0].(*appsv1.Deployment); ok && p.ours.Recheck == never && p.upstream.Recheck != never && !p.ours.Failed {
				if c := progressing(&d.Status); c != nil && c.Reason == "NewReplicaSetAvailable" {
					return []apiserver.Rule{{}}
				}
			}
			return nil
		},
		adjust: func(p *carriedPass) { p.upstream.Recheck = p.ours.Recheck },
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
		name:   "a revision that is gone needs no deletion",
		reason: "kube, Executor.DaemonSet: what was to be deleted is gone; upstream takes it for an error",
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				if apierrors.IsNotFound(c.Err) && c.Verb == apiserver.Delete && c.Kind == "ControllerRevision" {
					return apiserver.Dropped
				}
				return ""
			})
		},
	},
	{
		name:    "upstream conflicts with its own writes",
		reason:  "kube, Executor: the version that a write has left is the precondition of the next; upstream goes on with what it had read",
		mode:    mode{own: true},
		answers: (*carriedPass).ownConflicts,
	},
	{
		name:   "an old ReplicaSet that cannot be shrunk fails the pass",
		reason: "deploy.Finish: upstream forgets the failure; here it is an error, so that somebody tries again",
		mode:   mode{fails: true},
		answers: func(p *carriedPass) []apiserver.Rule {
			if p.ourErr != nil && shrinking.MatchString(p.ourErr.Error()) {
				return []apiserver.Rule{{}}
			}
			return nil
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
	{
		name:   "missing node does not fail a surge",
		reason: "daemonset, Deviations: upstream fails, and does not clean up its history",
		answers: func(p *carriedPass) []apiserver.Rule {
			if p.err != nil && strings.Contains(p.err.Error(), "couldn't get node for nodeName") {
				return []apiserver.Rule{{}}
			}
			return nil
		},
		adjust: func(p *carriedPass) {
			p.upstream.Failed = p.ours.Failed
			p.cleanedUp()
		},
	},
	{
		name:   "what is adopted is adopted once",
		reason: "kube, Executor: upstream claims again for each of its steps, and finds gone what it has just deleted",
		answers: func(p *carriedPass) (rules []apiserver.Rule) {
			adopted := map[string]bool{}
			for _, c := range p.theirs {
				if c.Verb == apiserver.Adopt && c.Err != nil && adopted[c.Kind+c.Name] {
					rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, From: 1, Count: 1 << 30, Class: apiserver.Dropped})
				}
				adopted[c.Kind+c.Name] = adopted[c.Kind+c.Name] || c.Verb == apiserver.Adopt && c.Err == nil
			}
			return rules
		},
	},
	{
		name:    "a revision whose name is seen to be taken is not created",
		reason:  "daemonset: what follows is planned, the count of collisions included; upstream tries, reads, and after a collision fails",
		answers: (*carriedPass).takenRevision,
		adjust: func(p *carriedPass) {
			p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, func(w string) bool { return strings.HasPrefix(w, "create ControllerRevision ") })
			collision := strings.Contains(p.note, "held back: "+string(daemonset.ReasonCollision))
			if collision && p.err != nil && strings.Contains(p.err.Error(), "already exists") {
				p.upstream.Failed = false
			}
		},
	},
	{
		name:   "a duplicate is not labelled before it is deleted",
		reason: "daemonset: the label of a revision that goes is of no use to anybody",
		answers: func(p *carriedPass) (rules []apiserver.Rule) {
			for _, c := range p.theirs {
				if c.Verb == apiserver.Write && c.Kind == "ControllerRevision" && p.duplicate(c.Name) {
					rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1 << 30, Class: apiserver.Dropped})
				}
			}
			return rules
		},
		adjust: func(p *carriedPass) {
			p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, func(w string) bool {
				name, ok := strings.CutPrefix(w, "write ControllerRevision ")
				return ok && p.duplicate(name)
			})
		},
	},
	{
		name:    "a revision is labelled and renumbered at once",
		reason:  "daemonset: one write has both; upstream writes the label first, and ends if that was not answered",
		answers: (*carriedPass).labelledFirst,
	},
	{
		name:   "a rolling update waits for the pass after one that manages",
		reason: "daemonset, Deviations: upstream goes on in the same pass if nothing of what it has asked for has come about",
		mode:   mode{waits: true},
		answers: func(p *carriedPass) []apiserver.Rule {
			if p.kind == daemonset.Kind && manages.MatchString(p.note) {
				return []apiserver.Rule{{}}
			}
			return nil
		},
	},
}

// revisionWithRollback is a plan that does both.
var revisionWithRollback = regexp.MustCompile(`(?m)^Annotated deployment: .*\(Revision\)$(?s:.*)^Rolled back deployment to revision`)

// manages is a plan that creates or deletes pods. Of those of a rolling update upstream has
// nothing to wait for.
var manages = regexp.MustCompile(`(?m)^(Created pod on|Deleted pod:) `)

// revisionStays takes the revision out of an update of the Deployment after the status that
// was to publish it was refused: upstream's update has it as well.
func revisionStays(p *carriedPass) {
	d, ok := p.upstream.Objects["Deployment "+p.owner.Name].(*appsv1.Deployment)
	written := slices.ContainsFunc(p.mine, func(c apiserver.Call) bool { return c.Verb == apiserver.Status && c.Changed })
	if !ok || written || !strings.Contains(p.note, "Cleared rollback request") {
		return
	}
	stored := p.server.Stored(p.owner).GetAnnotations()[revision.AnnotationRevision]
	if d = d.DeepCopy(); stored == "" {
		delete(d.Annotations, revision.AnnotationRevision)
	} else {
		d.Annotations[revision.AnnotationRevision] = stored
	}
	p.upstream.Objects["Deployment "+p.owner.Name] = d
}

// endsWithCreation applies to passes that have created what they expected to be there.
func (p *carriedPass) endsWithCreation() []apiserver.Rule {
	if name := takenName(p.note); name != "" && p.ours.Objects["created ReplicaSet "+name] != nil {
		return p.ending()
	}
	return nil
}

// endsWithItsOwn applies to passes that have failed to create what the Deployment controls,
// and its selector does not match.
func (p *carriedPass) endsWithItsOwn() []apiserver.Rule {
	name := takenName(p.note)
	if name != "" && p.ours.Failed && slices.ContainsFunc(p.cached, func(o metav1.Object) bool {
		return kindOf(o) == "ReplicaSet" && o.GetName() == name && metav1.IsControlledBy(o, p.cached[0])
	}) {
		return p.ending()
	}
	return nil
}

// takenName is the name of a new ReplicaSet that a plan expects to be taken.
func takenName(plan string) string {
	before, _, held := strings.Cut(plan, " held back: "+string(deploy.ReasonNameTaken))
	if !held {
		return ""
	}
	return before[strings.LastIndex(before, "\n")+1:]
}

// ending keeps upstream's writes from having an effect that come after the creation of a
// ReplicaSet and the status which tells of it, if ours writes one.
func (p *carriedPass) ending() []apiserver.Rule {
	const all = 1 << 30
	rules := []apiserver.Rule{{Verb: apiserver.Status, Kind: p.kind, Name: p.owner.Name, From: min(1, p.count(p.mine, apiserver.Status, p.kind)), Count: all, Class: apiserver.Dropped}}
	for _, of := range []callKind{{apiserver.Write, "ReplicaSet"}, {apiserver.Delete, "ReplicaSet"}, {apiserver.Write, p.kind}} {
		rules = append(rules, apiserver.Rule{Verb: of.verb, Kind: of.kind, Of: 1, Count: all, Class: apiserver.Dropped})
	}
	return rules
}

// endWithCreation takes away what upstream says of those writes.
func endWithCreation(p *carriedPass) {
	end := slices.IndexFunc(p.upstream.Writes, func(w string) bool { return strings.HasPrefix(w, "create ReplicaSet ") })
	p.upstream.Writes = p.upstream.Writes[:end+1]
	tells := " " + takenName(p.note) + " from 0 to "
	p.upstream.Events = slices.DeleteFunc(p.upstream.Events, func(e upstream.Event) bool {
		return p.ours.Failed || !strings.Contains(e.Message, tells)
	})
	if !p.upstream.Failed {
		p.upstream.Recheck = p.ours.Recheck
	}
}

// ownedByUID returns the objects with pods whose owner references name the ReplicaSet that
// has the UID of the reference.
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

// cleanedUp makes upstream clean up its history as ours has done.
func (p *carriedPass) cleanedUp() {
	p.spared = p.count(p.mine, apiserver.Delete, "ControllerRevision") - p.count(p.theirs, apiserver.Delete, "ControllerRevision")
	for key, o := range p.ours.Objects {
		name, ok := strings.CutPrefix(key, "ControllerRevision ")
		if !ok || o != nil {
			continue
		}
		if gone, done := p.upstream.Objects[key]; done && gone == nil {
			continue
		}
		p.upstream.Objects[key] = nil
		p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, func(w string) bool { return w == "write ControllerRevision "+name })
	}
	deletes := func(w string) bool { return strings.HasPrefix(w, "delete ControllerRevision ") }
	p.upstream.Writes = slices.DeleteFunc(p.upstream.Writes, deletes)
	for _, w := range p.ours.Writes {
		if deletes(w) {
			p.upstream.Writes = append(p.upstream.Writes, w)
		}
	}
}

// takenRevision lets upstream find what our cache has told.
func (p *carriedPass) takenRevision() (rules []apiserver.Rule) {
	for _, c := range p.theirs {
		if c.Verb == apiserver.Create && c.Kind == "ControllerRevision" && p.count(p.mine, apiserver.Create, c.Kind) == 0 && slices.ContainsFunc(p.cached, func(o metav1.Object) bool {
			return kindOf(o) == c.Kind && o.GetName() == c.Name
		}) {
			rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1, Class: apiserver.Exists},
				apiserver.Rule{Verb: apiserver.Get, Kind: c.Kind, Name: c.Name, Count: 1, Class: apiserver.Done})
			if p.count(p.mine, apiserver.Get, p.owner.Kind) == 0 {
				rules = append(rules, apiserver.Rule{Verb: apiserver.Get, Kind: p.owner.Kind, Name: p.owner.Name, Count: 1, Class: apiserver.Done})
			}
		}
	}
	return rules
}

func (p *carriedPass) count(calls []apiserver.Call, verb, kind string) (n int) {
	for _, c := range calls {
		if c.Verb == verb && c.Kind == kind {
			n++
		}
	}
	return n
}

// labelledFirst lets upstream's first write of a revision without a label be, if ours was
// carried out without an answer.
func (p *carriedPass) labelledFirst() (rules []apiserver.Rule) {
	for _, c := range p.mine {
		if c.Verb != apiserver.Write || c.Kind != "ControllerRevision" || !c.Class.CarriedOut() || !strings.Contains(p.note, "Renumbered controller revision "+c.Name+" ") {
			continue
		}
		unlabelled := slices.ContainsFunc(p.cached, func(o metav1.Object) bool {
			return kindOf(o) == c.Kind && o.GetName() == c.Name && !has(o.GetLabels(), daemonset.LabelHash)
		})
		if unlabelled {
			rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1, Class: apiserver.Done})
		}
	}
	return rules
}

// duplicate reports whether the plan deletes a revision because another is the same.
func (p *carriedPass) duplicate(name string) bool {
	return strings.Contains(p.note, "Deleted controller revision "+name+" (Duplicate)")
}

// shrunkTwice finds the sizes of ReplicaSets that upstream shrinks in two writes: first by
// the unhealthy pods.
var shrunkTwice = regexp.MustCompile(`Scaled down replica set (\S+) from (\d+) to (\d+) \(\w+, (\d+) unhealthy\)`)

// halfShrunk returns those of which upstream has made the first write only, as name, old
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

// shrinking is the error of an action that upstream goes on after.
var shrinking = regexp.MustCompile(`^Scaled down .* \((RolloutDown|Unhealthy|TakenForOld)`)

// left is the answer that leaves an object alone.
func left(c apiserver.Call) apiserver.Class {
	if c.Verb == apiserver.Delete && c.Kind == "Pod" {
		return apiserver.NotFound
	}
	return apiserver.Conflict
}

// changedBy reports whether upstream's call for the same thing has changed something.
func (p *carriedPass) changedBy(c apiserver.Call) bool {
	return slices.ContainsFunc(p.theirs, func(o apiserver.Call) bool {
		return o.Changed && o.Verb == c.Verb && o.Kind == c.Kind && o.Name == c.Name
	})
}

// answers are rules that answer upstream as some of our calls were.
func (p *carriedPass) answers(class func(apiserver.Call) apiserver.Class) (rules []apiserver.Rule) {
	for i, c := range p.mine {
		if c.Class == "" && apierrors.IsConflict(c.Err) && slices.ContainsFunc(p.mine[:i], func(before apiserver.Call) bool {
			lost := c.Verb == apiserver.Status && before.Class.CarriedOut() // upstream may write the status first
			return before.Changed && before.Kind == c.Kind && before.Name == c.Name && !lost
		}) {
			continue // it conflicts with a write of our own
		}
		if answer := class(c); answer != "" {
			rules = append(rules, apiserver.Rule{Verb: c.Verb, Kind: c.Kind, Name: c.Name, Count: 1 << 30, Class: answer, Void: answer.CarriedOut() && !c.Changed})
		}
	}
	return rules
}

// ownConflicts returns a rule that never matches if upstream was refused to write what it
// has written itself.
func (p *carriedPass) ownConflicts() []apiserver.Rule {
	for i, c := range p.theirs {
		hidden := c.Class.CarriedOut() && !c.Changed // behind an answer that was lost
		if (hidden || c.Class == "" && apierrors.IsConflict(c.Err)) && slices.ContainsFunc(p.theirs[:i], func(before apiserver.Call) bool {
			return before.Changed && before.Kind == c.Kind && before.Name == c.Name
		}) {
			return []apiserver.Rule{{}}
		}
	}
	return nil
}
