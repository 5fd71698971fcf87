// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

var eventFunctions = []function{
	{"addDeployment to deletePod", compareDeploymentEvent},
}

// happened is a change of one object, and the contents of the caches.
type happened struct {
	Deployments []*appsv1.Deployment
	Sets        []*appsv1.ReplicaSet
	Event       upstream.DeploymentEvent
}

// drawOwner draws a controller of a kind: none, one of these, one with their name and another UID,
// or one that is gone; sometimes of another kind.
func drawOwner(t random.T, kind string, objects []metav1.Object) []metav1.OwnerReference {
	other := metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: "not the controller", UID: "x"}
	if random.OneIn(t, "orphan", 4) {
		return []metav1.OwnerReference{other}[:random.Below(t, "owned", 2)]
	}
	o := objects[random.Below(t, "owner", len(objects))]
	r := metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: o.GetName(), UID: o.GetUID(), Controller: new(true)}
	switch random.Below(t, "reference", 24) {
	case 0:
		r.UID = "gone"
	case 1:
		r.Name = "other"
	case 2:
		r.Kind = "Job"
	case 3:
		r.APIVersion = "apps/v1beta1"
	case 4:
		r.BlockOwnerDeletion = new(true)
	case 5:
		r.UID = objects[random.Below(t, "UID", len(objects))].GetUID()
	}
	return []metav1.OwnerReference{other, r}
}

func drawApp(t random.T) map[string]string {
	return []map[string]string{nil, {}, {"app": "a"}, {"app": "b"}, {"app": "a", "tier": "x"}, {"tier": "x"}}[random.Below(t, "labels", 6)]
}

func drawSelecting(t random.T) *metav1.LabelSelector {
	switch random.Below(t, "selector", 9) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "?"}}}
	case 3:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	case 4:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "b"}}
	default:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
	}
}

func drawHappened(t random.T, now time.Time) (h happened) {
	strategies := []appsv1.DeploymentStrategyType{appsv1.RollingUpdateDeploymentStrategyType, appsv1.RecreateDeploymentStrategyType, ""}
	var deployments, sets []metav1.Object
	for _, name := range []string{"c", "a", "b", "d"}[:1+random.Below(t, "deployments", 4)] {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}}
		d.Spec.Selector = drawSelecting(t)
		d.Spec.Strategy.Type = strategies[random.Below(t, "strategy", 3)]
		h.Deployments, deployments = append(h.Deployments, d), append(deployments, d)
	}
	set := func(name string) *appsv1.ReplicaSet {
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), Labels: drawApp(t)}}
		rs.ResourceVersion = []string{"1", "2", "3"}[random.Below(t, "version", 3)]
		rs.OwnerReferences = drawOwner(t, "Deployment", deployments)
		if random.OneIn(t, "deleting", 6) {
			rs.DeletionTimestamp = new(at(now))
		}
		return rs
	}
	for _, name := range []string{"r1", "r2", "r3"}[:1+random.Below(t, "sets", 3)] {
		rs := set(name)
		h.Sets, sets = append(h.Sets, rs), append(sets, rs)
	}
	e := &h.Event
	switch what := random.Below(t, "event", 8); {
	case what == 0:
		e.NewDeployment = h.Deployments[0]
		if random.OneIn(t, "update", 2) {
			e.OldDeployment = e.NewDeployment
		}
	case what == 1:
		e.OldDeployment = h.Deployments[0].DeepCopy()
		e.OldDeployment.Name = "gone"
	case what == 2 && upstream.Minor >= 37: // which asks the API server before
		e.OldPod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", Labels: drawApp(t)}}
		e.OldPod.OwnerReferences = drawOwner(t, "ReplicaSet", sets)
	case what == 3:
		e.OldSet = set("r1")
	case what == 4:
		e.NewSet = h.Sets[0]
	default:
		if e.OldSet, e.NewSet = set("r1"), h.Sets[0]; random.OneIn(t, "alike", 2) {
			e.OldSet.Labels = e.NewSet.Labels
		}
		if random.OneIn(t, "same owner", 3) {
			e.OldSet.OwnerReferences = e.NewSet.OwnerReferences
		}
	}
	return h
}

// concerned returns the Deployments for which ours plans again.
func (h happened) concerned() (names []string) {
	var c deploy.Change
	deployment := func(d *appsv1.Deployment) *deploy.Deployment {
		if d == nil {
			return nil
		}
		return new(must(kube.Deployment(d)))
	}
	set := func(rs *appsv1.ReplicaSet) *replicaset.ReplicaSet {
		if rs == nil {
			return nil
		}
		return new(kube.ReplicaSet(rs))
	}
	e := h.Event
	c.Deployment = deploy.DeploymentEvent{Old: deployment(e.OldDeployment), New: deployment(e.NewDeployment)}
	c.ReplicaSet = deploy.ReplicaSetEvent{Old: set(e.OldSet), New: set(e.NewSet)}
	if e.OldPod != nil {
		c.Pod.Old = new(kube.Pod(e.OldPod))
	}
	deployments, sets := make([]deploy.Deployment, len(h.Deployments)), make([]replicaset.ReplicaSet, len(h.Sets))
	for i, d := range h.Deployments {
		deployments[i] = *deployment(d)
	}
	for i, rs := range h.Sets {
		sets[i] = *set(rs)
	}
	for _, e := range deploy.Effects(c, deployments, sets) {
		names = append(names, e.Name)
	}
	return names
}

func compareDeploymentEvent(t random.T, c *caseCounts, now time.Time) {
	h := drawHappened(t, now)
	updates := func(name string, is func(before, after *appsv1.ReplicaSet, woken []string) bool) corner[decision[happened]] {
		return corner[decision[happened]]{name, func(d decision[happened]) bool {
			e := d.in.Event
			return e.OldSet != nil && e.NewSet != nil && is(e.OldSet, e.NewSet, d.upstream.([]string))
		}}
	}
	controlled := func(o metav1.Object) bool { return metav1.GetControllerOfNoCopy(o) != nil }
	corners := []corner[decision[happened]]{
		outcomeIs[happened]("nobody", []string(nil)),
		{"several", func(d decision[happened]) bool { return len(d.upstream.([]string)) > 2 }},
		{"a Deployment", func(d decision[happened]) bool { return d.in.Event.NewDeployment != nil }},
		{"a Deployment that is gone", func(d decision[happened]) bool { return slices.Equal(d.upstream.([]string), []string{"gone"}) }},
		{"an orphan is added", func(d decision[happened]) bool {
			e := d.in.Event
			return e.OldSet == nil && e.NewSet != nil && !controlled(e.NewSet) && len(d.upstream.([]string)) > 0
		}},
		{"an orphan is added that is being deleted", func(d decision[happened]) bool {
			e := d.in.Event
			return e.OldSet == nil && e.NewSet != nil && !controlled(e.NewSet) && e.NewSet.DeletionTimestamp != nil
		}},
		updates("a repetition", func(before, after *appsv1.ReplicaSet, woken []string) bool {
			return before.ResourceVersion == after.ResourceVersion && controlled(after) && woken == nil
		}),
		updates("both owners", func(before, after *appsv1.ReplicaSet, woken []string) bool {
			return controlled(before) && controlled(after) && len(woken) == 2
		}),
		updates("let go", func(before, after *appsv1.ReplicaSet, woken []string) bool {
			return controlled(before) && !controlled(after) && len(woken) > 1
		}),
		updates("an orphan is labelled", func(before, after *appsv1.ReplicaSet, woken []string) bool {
			return !controlled(before) && !controlled(after) && len(woken) > 0
		}),
		updates("an orphan is as before", func(before, after *appsv1.ReplicaSet, woken []string) bool {
			return !controlled(before) && !controlled(after) && before.ResourceVersion != after.ResourceVersion && len(woken) == 0
		}),
	}
	if upstream.Minor >= 37 {
		corners = append(corners,
			in("a pod is gone that is waited for", func(h happened) bool { return h.Event.OldPod != nil && h.concerned() != nil }),
			in("a pod is gone that nobody waits for", func(h happened) bool { return h.Event.OldPod != nil && h.concerned() == nil }))
	}
	judge(t, c, corners, eventDifferences, decideEvent(h))
}

func decideEvent(h happened) decision[happened] {
	return decision[happened]{h, upstream.Concerned(h.Deployments, h.Sets, h.Event), h.concerned()}
}

var eventDifferences = []difference[*decision[happened], any]{{
	name:   uidDecides,
	reason: "deploy, Events: the UID decides; upstream does not see a ReplicaSet or a pod with another kind or name in its reference",
	leaf:   []string{""},
	from: func(d *decision[happened]) bool {
		h := d.in.coherent()
		return !reflect.DeepEqual(d.upstream, any(upstream.Concerned(h.Deployments, h.Sets, h.Event)))
	},
	to: func(d *decision[happened]) any {
		h := d.in.coherent()
		return upstream.Concerned(h.Deployments, h.Sets, h.Event)
	},
	elsewhere: func(d *decision[happened], o *any) bool {
		*o = append(slices.Clone((*o).([]string)), "other")
		return true
	},
}}

// coherent returns the same with the kind and name in each reference that its UID has.
func (h happened) coherent() happened {
	known := map[types.UID]metav1.OwnerReference{}
	for _, d := range h.Deployments {
		known[d.UID] = metav1.OwnerReference{Kind: "Deployment", Name: d.Name}
	}
	for _, rs := range h.Sets {
		known[rs.UID] = metav1.OwnerReference{Kind: "ReplicaSet", Name: rs.Name}
	}
	mend := func(references []metav1.OwnerReference) []metav1.OwnerReference {
		references = slices.Clone(references)
		for i := range references {
			if o, ok := known[references[i].UID]; ok {
				references[i].Kind, references[i].Name = o.Kind, o.Name
			}
		}
		return references
	}
	set := func(rs *appsv1.ReplicaSet) *appsv1.ReplicaSet {
		if rs != nil {
			rs = rs.DeepCopy()
			rs.OwnerReferences = mend(rs.OwnerReferences)
		}
		return rs
	}
	h.Sets = slices.Clone(h.Sets)
	for i := range h.Sets {
		h.Sets[i] = set(h.Sets[i])
	}
	h.Event.OldSet, h.Event.NewSet = set(h.Event.OldSet), set(h.Event.NewSet)
	if h.Event.OldPod != nil {
		h.Event.OldPod = h.Event.OldPod.DeepCopy()
		h.Event.OldPod.OwnerReferences = mend(h.Event.OldPod.OwnerReferences)
	}
	return h
}

func TestEventDifferences(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "d"}}
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "rs", UID: "r", OwnerReferences: []metav1.OwnerReference{
		{Kind: "Job", Name: "web", UID: "d", Controller: new(true)},
	}}}
	requireExamples(t, eventDifferences, map[string]decision[happened]{
		uidDecides: decideEvent(happened{[]*appsv1.Deployment{d}, nil, upstream.DeploymentEvent{NewSet: rs}}),
	})
}

// TestRetries: both sides give up a pass that always fails after the same number of retries.
func TestRetries(t *testing.T) { require.Equal(t, deploy.MaxRetries, upstream.Retries()) }
