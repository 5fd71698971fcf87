// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
)

// The functions of this file return the required outcomes on our side where Deployments are meant
// to differ, and wrong ones.

// untilTaken is upstream's outcome up to the creation that fails, and the revision.
func untilTaken(p *deploymentPass) deploymentOutcome {
	o := refusedDeployment(p.in)
	o.Refused, o.Created, o.LiveRead, o.Revision = false, p.upstream.Created, p.upstream.LiveRead, p.upstream.Revision
	at := slices.IndexFunc(p.upstream.Steps, func(s string) bool { return strings.HasPrefix(s, "create ") })
	o.Steps = slices.Clone(p.upstream.Steps[:at+1])
	for _, step := range p.upstream.Steps[at+1:] {
		if strings.HasPrefix(step, "revision ") {
			o.Steps = append(o.Steps, step)
		}
	}
	return o
}

// instead is upstream's outcome for another input.
func instead(change func(*gen.DeploymentCase)) func(*deploymentPass) deploymentOutcome {
	return func(p *deploymentPass) deploymentOutcome {
		p.again(change)
		return p.upstream
	}
}

// rejectsAny recognises a case with a field that ours rejects and upstream does not, or not at
// once.
func rejectsAny(fields func(*gen.DeploymentCase) []string) func(*deploymentPass) bool {
	return func(p *deploymentPass) bool { return len(fields(p.c)) > 0 }
}

// rejecting is a pass that fails because of the fields, and of fields that other rows reject.
func rejecting(fields func(*gen.DeploymentCase) []string) func(*deploymentPass) deploymentOutcome {
	return func(p *deploymentPass) deploymentOutcome {
		o := refusedDeployment(p.c)
		o.Rejected = append(fields(p.c), p.upstream.Rejected...)
		slices.Sort(o.Rejected)
		o.Rejected = slices.Compact(o.Rejected)
		return o
	}
}

func unusableLimits(c *gen.DeploymentCase) (fields []string) {
	d := c.Deployment
	if d.Spec.Strategy.RollingUpdate == nil || d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return nil
	}
	of := func(name string, v *intstr.IntOrString) {
		if n, err := limit(v); err != nil || n.IsNegative() {
			fields = append(fields, "spec.strategy.rollingUpdate."+name)
		}
	}
	of("maxSurge", d.Spec.Strategy.RollingUpdate.MaxSurge)
	of("maxUnavailable", d.Spec.Strategy.RollingUpdate.MaxUnavailable)
	return fields
}

func unknownStrategy(c *gen.DeploymentCase) []string {
	if c.Deployment.Spec.Strategy.Type == "Canary" {
		return []string{"spec.strategy.type"}
	}
	return nil
}

// negativeNumbers returns the negative fields of the Deployment or else, where it is valid, of its
// ReplicaSets.
func negativeNumbers(c *gen.DeploymentCase) (fields []string) {
	s := &c.Deployment.Spec
	for name, n := range map[string]*int32{
		"replicas": s.Replicas, "progressDeadlineSeconds": s.ProgressDeadlineSeconds, "revisionHistoryLimit": s.RevisionHistoryLimit, "minReadySeconds": &s.MinReadySeconds,
	} {
		if n != nil && *n < 0 {
			fields = append(fields, "spec."+name)
		}
	}
	if len(fields)+len(unusableLimits(c))+len(unknownStrategy(c)) == 0 {
		fields = ofSets(c, "Replicas", func(rs *appsv1.ReplicaSet) bool { return *rs.Spec.Replicas < 0 })
	}
	return fields
}

func withoutUID(c *gen.DeploymentCase) []string {
	s := &c.Deployment.Spec
	for _, n := range []*int32{s.Replicas, s.ProgressDeadlineSeconds, s.RevisionHistoryLimit, &s.MinReadySeconds} {
		if n != nil && *n < 0 {
			return nil
		}
	}
	if len(unusableLimits(c))+len(unknownStrategy(c)) > 0 {
		return nil
	}
	return ofSets(c, "UID", func(rs *appsv1.ReplicaSet) bool { return rs.UID == "" })
}

// ifPlanned limits rows about plans to cases that ours does not reject: then ours does nothing,
// whatever upstream does.
func ifPlanned(rows []difference[*deploymentPass, deploymentOutcome]) []difference[*deploymentPass, deploymentOutcome] {
	rows = slices.Clone(rows)
	for i := range rows {
		from := rows[i].from
		rows[i].from = func(p *deploymentPass) bool {
			rejects := len(unusableLimits(p.c)) + len(negativeNumbers(p.c)) + len(unknownStrategy(p.c)) + len(withoutUID(p.c))
			return rejects == 0 && from(p)
		}
	}
	return rows
}

// ofSets returns a field of the ReplicaSets that ours counts as the Deployment's.
func ofSets(c *gen.DeploymentCase, name string, is func(*appsv1.ReplicaSet) bool) (fields []string) {
	if selectsAll(c.Deployment) { // then nothing is looked at
		return nil
	}
	sets := own(&deploymentPass{c: c, in: c})
	if c.Deployment.Spec.Selector == nil {
		sets = slices.DeleteFunc(slices.Clone(c.ReplicaSets), func(rs *appsv1.ReplicaSet) bool { return !metav1.IsControlledBy(rs, c.Deployment) })
	}
	for _, rs := range sets {
		if is(rs) {
			fields = append(fields, `ReplicaSets["`+rs.Name+`"].`+name)
		}
	}
	return fields
}

// selectOwn gives the Deployment a selector for the ReplicaSets that it controls.
func selectOwn(c *gen.DeploymentCase) {
	const label = "example.com/own"
	c.Deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{label: ""}}
	for i, rs := range c.ReplicaSets {
		if metav1.IsControlledBy(rs, c.Deployment) {
			rs = rs.DeepCopy()
			metav1.SetMetaDataLabel(&rs.ObjectMeta, label, "")
			c.ReplicaSets[i] = rs
		}
	}
}

// keepingSizes is upstream's outcome if a write of a size below 0 changes nothing.
func keepingSizes(p *deploymentPass) deploymentOutcome {
	p.keep = true
	p.again(func(*gen.DeploymentCase) {})
	p.upstream.Events = slices.DeleteFunc(p.upstream.Events, func(e upstream.Event) bool { return strings.Contains(e.Message, " to -") })
	return p.upstream
}

// withoutRoom is upstream's outcome if the new ReplicaSet has no room to grow. That requires
// another surge, which appears in annotations and is removed from them again.
func withoutRoom(p *deploymentPass) deploymentOutcome {
	before := readable(p.in.Deployment)
	replicas, current := number(before.Spec.Replicas), util.GetReplicaCountForReplicaSets(own(p))
	p.keep = true
	p.again(func(c *gen.DeploymentCase) {
		c.Deployment = before.DeepCopy()
		r := c.Deployment.Spec.Strategy.RollingUpdate
		r.MaxUnavailable = new(intstr.FromInt32(util.MaxUnavailable(*before)))
		r.MaxSurge = new(intstr.FromInt32(current - replicas))
	})
	p.in = &gen.DeploymentCase{Deployment: before, ReplicaSets: p.in.ReplicaSets, Pods: p.in.Pods}
	right, wrong := strconv.Itoa(int(replicas+util.MaxSurge(*before))), strconv.Itoa(int(current))
	for name, set := range p.upstream.Sets {
		if set.Annotations[revision.AnnotationMax] == wrong {
			set.Annotations = maps.Clone(set.Annotations)
			set.Annotations[revision.AnnotationMax] = right
			p.upstream.Sets[name] = set
		}
	}
	if created := p.upstream.Created; created != nil {
		p.upstream.Created = created.DeepCopy()
		p.upstream.Created.Annotations[revision.AnnotationMax] = right
	}
	return p.upstream
}

// wrapsAround recognises a size below 0 that upstream has tried to write.
func wrapsAround(p *deploymentPass) bool {
	return !p.keep && slices.ContainsFunc(p.upstream.Steps, refusedStep)
}

// whileRolling recognises such a size of the new ReplicaSet in a rolling update, and not in
// a pass that changes the size of the Deployment or in one that is paused.
func whileRolling(p *deploymentPass) bool {
	d := readable(p.in.Deployment)
	if d.Spec.Strategy.RollingUpdate == nil || d.Spec.Paused {
		return false
	}
	newest := util.FindNewReplicaSet(d, own(p))
	for _, rs := range own(p) {
		desired, ok := util.GetDesiredReplicasAnnotation(klog.Background(), rs)
		if ok && *rs.Spec.Replicas > 0 && desired != *d.Spec.Replicas {
			return false
		}
	}
	return newest == nil || slices.Contains(p.upstream.Steps, "refused "+newest.Name)
}

func refusedStep(step string) bool {
	return strings.HasPrefix(step, "refused ") || strings.Contains(step, " with -")
}
func deletes(step string) bool { return strings.HasPrefix(step, "delete ") }

// cleanedUp is upstream's outcome with the deletions of its cleanup in our order. A run without a
// limit shows whether and when it cleans up.
func cleanedUp(p *deploymentPass) deploymentOutcome {
	all := p.clone()
	all.again(func(c *gen.DeploymentCase) { c.Deployment.Spec.RevisionHistoryLimit = new(int32(0)) })
	at := slices.IndexFunc(all.upstream.Steps, deletes)
	if at < 0 {
		return p.upstream
	}
	newest := util.FindNewReplicaSet(p.in.Deployment, own(p))
	old := plannedByRevision(slices.DeleteFunc(slices.Clone(own(p)), func(rs *appsv1.ReplicaSet) bool {
		return newest != nil && rs.UID == newest.UID || rs.DeletionTimestamp != nil
	}))
	surplus := len(old) - int(number(p.in.Deployment.Spec.RevisionHistoryLimit))
	steps := slices.DeleteFunc(slices.Clone(p.upstream.Steps), deletes)
	if at > len(steps) { // another difference may prevent the cleanup
		return p.upstream
	}
	for _, rs := range old[:min(max(0, surplus), len(old))] { // a limit may be negative
		if *rs.Spec.Replicas == 0 && rs.Status.Replicas == 0 && rs.Generation <= rs.Status.ObservedGeneration {
			steps = slices.Insert(steps, at, "delete "+rs.Name)
			at++
		}
	}
	p.upstream.Steps = steps
	return p.upstream
}

// plannedByRevision lists ReplicaSets in our order.
func plannedByRevision(sets []*appsv1.ReplicaSet) (list []*appsv1.ReplicaSet) {
	for _, i := range revision.ByRevision(historied{Sets: sets}.entries(), revision.Options{}) {
		list = append(list, sets[i])
	}
	return list
}

// exactly returns the number of pods that a percentage is, in whole numbers.
func exactly(v *intstr.IntOrString, replicas int32, up bool) *intstr.IntOrString {
	if n, ok := exactNumber(v, replicas, up); ok {
		return new(intstr.FromInt32(int32(n)))
	}
	return v
}

func exactNumber(v *intstr.IntOrString, replicas int32, up bool) (int64, bool) {
	percent, ok := percentOf(v)
	if !ok {
		return 0, false
	}
	n, rest := new(big.Int).DivMod(new(big.Int).Mul(big.NewInt(percent), big.NewInt(int64(replicas))), big.NewInt(100), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n.Int64(), true
}

// recheckAt is when upstream looks again at a condition.
func recheckAt(p *deploymentPass, c *appsv1.DeploymentCondition) string {
	left := c.LastUpdateTime.Add(time.Duration(number(p.c.Deployment.Spec.ProgressDeadlineSeconds)) * time.Second).Sub(p.now)
	if left < time.Second {
		return "now"
	}
	return left.String()
}

// nearRejection are wrong rejections.
var nearRejection = []mistake[deploymentOutcome]{
	{"another field", func(o *deploymentOutcome) bool {
		o.Rejected[0] = "spec.paused"
		return true
	}},
	{"an empty plan instead", func(o *deploymentOutcome) bool {
		o.Refused, o.Failed, o.Rejected = false, false, nil
		return true
	}},
	{"a plan beside it", func(o *deploymentOutcome) bool {
		o.Steps = append(o.Steps, "delete web-0")
		return true
	}},
}

// nearPlan are wrong plans.
var nearPlan = []mistake[deploymentOutcome]{
	{"the last action dropped", func(o *deploymentOutcome) bool {
		ok := len(o.Steps) > 0
		if ok {
			o.Steps = o.Steps[:len(o.Steps)-1]
		}
		return ok
	}},
	{"one action more", func(o *deploymentOutcome) bool {
		o.Steps = append(o.Steps, "scale web-0 from 1 to 0")
		return true
	}},
	{"no plan", func(o *deploymentOutcome) bool {
		*o = deploymentOutcome{Refused: true, Failed: true, Sets: map[string]setOutcome{}, Revision: o.Revision, Status: o.Status, Recheck: never}
		return true
	}},
	{"another recheck", func(o *deploymentOutcome) bool {
		o.Recheck = map[bool]string{true: "10m0s", false: never}[o.Recheck == never]
		return true
	}},
}

func rejectedElsewhere(path string) func(*deploymentPass, *deploymentOutcome) bool {
	return func(p *deploymentPass, o *deploymentOutcome) bool {
		if o.Refused {
			return false
		}
		*o = refusedDeployment(p.c)
		o.Rejected = []string{path}
		return true
	}
}

func lastStepDropped(_ *deploymentPass, o *deploymentOutcome) bool {
	return nearPlan[0].plant(o)
}

// beyondFloats makes of one case in 100 one of percentages that a float is not exact for.
func beyondFloats(t random.T, c *gen.DeploymentCase) {
	r := c.Deployment.Spec.Strategy.RollingUpdate
	if r == nil || !random.OneIn(t, "beyond floats", 100) {
		return
	}
	const all = 1<<31 - 1
	percent := func(label string) *intstr.IntOrString {
		return new(intstr.FromString([]string{"0%", "2147483647%", "25%", "2147483645%"}[random.Below(t, label, 4)]))
	}
	c.Deployment.Spec.Replicas, c.Deployment.Spec.Paused = new(int32(all)), false
	r.MaxSurge, r.MaxUnavailable = percent("huge surge"), percent("huge unavailable")
	for i, rs := range c.ReplicaSets {
		rs = rs.DeepCopy()
		rs.Spec.Replicas, rs.Status.Replicas, rs.Status.AvailableReplicas = new(int32(all)), all, all
		metav1.SetMetaDataAnnotation(&rs.ObjectMeta, revision.AnnotationDesired, "2147483647")
		c.ReplicaSets[i] = rs
	}
}
