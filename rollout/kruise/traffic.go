// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Traffic in each step, in order; step.go has the state of the step that calls each function:
//
//	a step without traffic     traffic of earlier steps is given back (cleanUp)
//	before the upgrade         the stable Service selects stable pods only (beforeUpgrade)
//	after the upgrade          the grace period, then the canary Service and the selectors
//	                           of both Services (services), the grace period again, then
//	                           the routes (lead); a step that updates all pods leads none
//	at the end                 see final.go

// routing returns the traffic routing, or nil if the Rollout has none. Only the first
// routing counts.
func (st *pass) routing() *traffic.Routing {
	if list := st.r.Strategy().TrafficRoutings; len(list) > 0 {
		return &list[0]
	}
	return nil
}

// canaryName returns the name of the canary Service.
func (st *pass) canaryName() string {
	if st.r.Strategy().DisableGenerateCanaryService {
		return st.routing().Service
	}
	return st.routing().Service + "-canary"
}

// selectPods writes one key of the selector of the stable Service, at its place in the plan.
func (st *pass) selectPods(n outcome, place int, key, value string, why kplan.Reason) outcome {
	selector := maps.Clone(n.stable.Selector)
	if selector == nil {
		selector = map[string]string{}
	}
	selector[key] = value
	n.writes[place] = SelectPods{Service: n.stable.Name, Key: key, Value: value, Reason: why}
	n.stable = &traffic.Service{Name: n.stable.Name, Selector: selector}
	return n
}

// waitGrace waits for the grace period after a change by this action, in this or an earlier
// pass. The second result reports whether the action is done.
func (st *pass) waitGrace(n outcome, key string, changed bool) (outcome, bool) {
	grace := max(0, time.Duration(st.routing().GracePeriodSeconds)*time.Second)
	since, remembered := n.grace[key]
	if changed {
		n.sub.LastUpdateTime, since, remembered = st.now, st.now, true
	}
	if rest := since.Add(grace).Sub(st.now); grace > 0 && remembered && rest > 0 {
		n.grace = n.grace.with(key, since)
		n.hold(reason.Grace, int64(st.now.Sub(since).Seconds()), int64(grace.Seconds()))
		n.recheckAfter(rest)
		return n, false
	}
	n.grace = n.grace.without(key)
	return n, true
}

// with returns the grace with one more change of traffic.
func (g Grace) with(key string, since time.Time) Grace {
	next := Grace{key: since}
	for k, t := range g {
		if k != key {
			next[k] = t
		}
	}
	return next
}

// without returns the grace without one change of traffic.
func (g Grace) without(key string) Grace {
	if _, has := g[key]; has {
		g = maps.Clone(g)
		delete(g, key)
	}
	return g
}

// beforeUpgrade keeps the traffic in its place while pods are updated. The second result reports
// whether the pass goes on. As in the state before an upgrade of Rollouts, the time of the
// write to the Service is not in the status; only the grace has it.
func (st *pass) beforeUpgrade(n outcome, step *Step) (outcome, bool) {
	since := n.sub.LastUpdateTime
	n, done := st.coverUpgrade(n, step)
	if !done {
		n.sub.LastUpdateTime = since
	}
	return n, done
}

func (st *pass) coverUpgrade(n outcome, step *Step) (outcome, bool) {
	var done bool
	blueGreen := st.r.Style() == workload.BlueGreen
	if !step.routed() && !blueGreen {
		n.sub.CurrentStepState = StateUpgrade
		return n, false
	}
	full := !blueGreen && st.full(step)
	if full {
		if n, done = st.restoreStable(n); !done {
			return n, false
		}
	}
	covered := st.has(quirk.StableServicePinnedForEver) && full || st.covered(&n)
	if step.routed() && n.sub.CurrentStepIndex == 1 && !covered && st.pins() {
		if n, done = st.pinStable(n); !done {
			return n, false
		}
	}
	n.sub.LastUpdateTime, n.sub.CurrentStepState = st.now, StateUpgrade
	return n, true
}

// pins reports whether the stable Service is to be pinned before the first step.
func (st *pass) pins() bool {
	if !st.r.Strategy().DisableGenerateCanaryService {
		return true
	}
	return st.r.Style() == workload.BlueGreen && !st.has(quirk.CanaryServiceAssumed)
}

// covered reports whether a later step has updated all pods, or is about to: a jump back lowers
// no partition. The stable Service is not pinned in this case
// ([quirk.StableServicePinnedForEver]).
func (st *pass) covered(n *outcome) bool {
	if !st.has(quirk.StableServicePinnedForEver) || !st.r.RealPartition() || n.br == nil {
		return false
	}
	all := st.w.Replicas
	strategy, _ := partition.ParseStrategy(st.w.Annotations[partition.AnnotationStrategy])
	last, batches := n.br.ReleasePlan.BatchPartition, n.br.ReleasePlan.Batches
	released := last != nil && *last >= 0 && int(*last) < len(batches) && batches[*last].CanaryReplicas.OfUp64(all) >= int64(all)
	return released || n.sub.Replicas >= all || strategy.Partition.OfUp64(all) >= int64(all)
}

// pinStable lets the stable Service select stable pods only.
func (st *pass) pinStable(n outcome) (outcome, bool) {
	if st.routing() == nil {
		return n, true
	}
	if n.stable == nil || st.r.Strategy().DisableGenerateCanaryService {
		n.hold(reason.NoStableService, 0, 0)
		return n, false
	}
	key := st.w.RevisionLabelKey
	changed := n.stable.Selector[key] != n.sub.StableRevision
	if changed {
		n = st.selectPods(n, writePinStable, key, n.sub.StableRevision, reason.PinTraffic)
	}
	return st.waitGrace(n, "pin-stable/"+n.stable.Name, changed)
}

// restoreStable lets the stable Service select all pods again.
func (st *pass) restoreStable(n outcome) (outcome, bool) {
	if st.routing() == nil || n.stable == nil {
		return n, true
	}
	key := ""
	if st.w != nil {
		key = st.w.RevisionLabelKey
	}
	changed := n.stable.Selector[key] != ""
	if changed {
		n = st.selectPods(n, writeRestoreStable, key, "", reason.RestoreTraffic)
	}
	return st.waitGrace(n, "restore-stable/"+n.stable.Name, changed)
}

// restoreGateway leads all traffic to the stable Service.
func (st *pass) restoreGateway(n outcome) (outcome, bool) {
	t := st.routing()
	if t == nil {
		return n, true
	}
	changed := false
	if route := st.s.Traffic.Route; route != nil && t.Gateway != nil {
		rules := traffic.Restored(route.Rules, t.Service, st.canaryName(), st.has(quirk.HTTPRouteRulesLost))
		n.writes[writeRoute], changed = setRoute(route, rules, reason.RestoreTraffic)
	}
	if c := st.s.Traffic.CanaryIngress; c != nil && t.Ingress != nil {
		n.writes[writeIngress], changed = DeleteIngress{Name: c.Name, Reason: reason.RestoreTraffic}, true
	}
	return st.waitGrace(n, "restore-gateway/"+t.Service, changed)
}

// setRoute returns the action that writes rules, nil if they are equal, and whether they differ.
func setRoute(route *traffic.Route, rules []traffic.Rule, why kplan.Reason) (Action, bool) {
	if len(route.Rules)+len(rules) == 0 || union.Text(route.Rules) == union.Text(rules) {
		return nil, false
	}
	return SetRoute{Name: route.Name, Rules: rules, Reason: why}, true
}

// removeCanary deletes the canary Service.
func (st *pass) removeCanary(n outcome) (outcome, bool) {
	t := st.routing()
	if t == nil || st.r.Strategy().DisableGenerateCanaryService {
		return n, true
	}
	changed := st.s.Traffic.Canary != nil
	if changed {
		n.writes[writeRemoveCanary] = DeleteService{Name: st.canaryName(), Reason: reason.RestoreTraffic}
	}
	return st.waitGrace(n, "remove-canary/"+t.Service, changed)
}

// routeAllToNew leads all traffic to the canary Service.
func (st *pass) routeAllToNew(n outcome) (outcome, bool) {
	t := st.routing()
	if t == nil || st.s.Traffic.Canary == nil && st.has(quirk.CanaryServiceAssumed) && !st.r.Strategy().DisableGenerateCanaryService {
		return n, true
	}
	n, changed := st.lead(n, &Step{Traffic: rollout.Percent(100)}, reason.RouteTraffic)
	return st.waitGrace(n, "route-new/"+t.Service, changed)
}

// cleanUp takes back the traffic of a step that has none.
func (st *pass) cleanUp(n outcome) (outcome, bool) {
	var done bool
	if st.routing() == nil {
		return n, true
	}
	if n, done = st.restoreStable(n); !done {
		return n, false
	}
	if n, done = st.restoreGateway(n); !done {
		return n, false
	}
	return st.removeCanary(n)
}

// trafficMissing names the missing object that leads traffic, "" if none is missing.
func (st *pass) trafficMissing() string {
	t, there := st.routing(), &st.s.Traffic
	switch {
	case t == nil:
	case there.Stable == nil:
		return "service " + t.Service
	case t.Gateway != nil && there.Route == nil:
		return "HTTPRoute"
	case t.Ingress != nil && there.Ingress == nil:
		return "ingress " + t.Ingress.Name
	}
	return ""
}

// routeStep leads the traffic of a step. The second result reports whether that is done.
func (st *pass) routeStep(n outcome, step *Step) (outcome, bool) {
	t := st.routing()
	if t == nil || !step.routed() {
		return n, true
	}
	if n.stable == nil {
		n.hold(reason.NoStableService, 0, 0)
		return n, false
	}
	grace := time.Duration(t.GracePeriodSeconds) * time.Second
	if grace <= 0 && !(grace == 0 && st.has(quirk.ZeroGraceIgnored)) {
		grace = recheck
	}
	if since := n.sub.LastUpdateTime; since.Add(grace).After(st.now) {
		n.hold(reason.Grace, int64(st.now.Sub(since).Seconds()), int64(grace.Seconds()))
		return n, false
	}
	if !st.r.Strategy().DisableGenerateCanaryService {
		ready := false
		if n, ready = st.services(n); !ready {
			return n, false
		}
	}
	n, changed := st.lead(n, step, reason.RouteTraffic)
	if changed {
		n.hold(reason.TrafficChanged, 0, 0)
	}
	return n, !changed
}

// services makes the Services select the pods of their revisions. The second result reports
// whether they did already.
func (st *pass) services(n outcome) (outcome, bool) {
	key, stable, changed := st.w.RevisionLabelKey, n.stable, false
	if n.sub.StableRevision == "" || n.sub.PodTemplateHash == "" {
		n.hold(reason.RevisionUnknown, 0, 0)
		return n, false
	}
	switch c := st.s.Traffic.Canary; {
	case c == nil:
		n.writes[writeCanaryService], changed = CreateService{
			Name: st.canaryName(), Stable: stable.Name, OwnerUID: st.r.UID, Selector: st.canarySelector(stable, n.sub.PodTemplateHash), Reason: reason.RouteTraffic,
		}, true
	case c.Selector[key] != n.sub.PodTemplateHash:
		n.writes[writeCanaryService], changed = SelectPods{Service: c.Name, Key: key, Value: n.sub.PodTemplateHash, Reason: reason.RouteTraffic}, true
	}
	if stable.Selector[key] != n.sub.StableRevision && !st.covered(&n) {
		changed = true
		n = st.selectPods(n, writePinStable, key, n.sub.StableRevision, reason.PinTraffic)
	}
	if changed {
		n.sub.LastUpdateTime = st.now
		n.hold(reason.TrafficChanged, 0, 0)
	}
	return n, !changed
}

// canarySelector returns the selector of a new canary Service.
func (st *pass) canarySelector(stable *traffic.Service, hash string) map[string]string {
	selector := maps.Clone(stable.Selector)
	if selector == nil {
		selector = map[string]string{}
	}
	if m := st.r.Strategy().PatchPodTemplateMetadata; m != nil && st.r.Style() != workload.BlueGreen {
		for key, value := range m.Labels {
			if _, has := selector[key]; has || st.opts.AppendPodSelector {
				selector[key] = value
			}
		}
	}
	selector[st.w.RevisionLabelKey] = hash
	return selector
}

// lead writes the routes that lead traffic to the canary Service. The second result reports
// whether any changed.
func (st *pass) lead(n outcome, step *Step, why kplan.Reason) (outcome, bool) {
	t, changed := st.routing(), false
	if route := st.s.Traffic.Route; route != nil && t.Gateway != nil {
		rules := route.Rules
		if len(step.Matches) > 0 {
			rules = traffic.Matched(rules, t.Service, st.canaryName(), step.Matches, st.has(quirk.HTTPRouteRulesLost))
		} else {
			rules = traffic.Weighted(rules, t.Service, st.canaryName(), step.Traffic.OfUp(100))
		}
		n.writes[writeRoute], changed = setRoute(route, rules, why)
	}
	if t.Ingress == nil || st.s.Traffic.Ingress == nil {
		return n, changed
	}
	class, known := st.ingressClass()
	if !known {
		n.hold(reason.TrafficMissing, 0, 0)
		n.failure = "ingress class " + t.Ingress.ClassType + " not found"
		return n, true
	}
	ingress := st.leadIngress(class, step, why)
	n.writes[writeIngress] = ingress
	return n, changed || ingress != nil
}

// leadIngress returns the action that sets the canary Ingress, nil if nothing changes.
func (st *pass) leadIngress(class traffic.IngressClass, step *Step, why kplan.Reason) Action {
	t, stable, canary := st.routing(), st.s.Traffic.Ingress, st.s.Traffic.CanaryIngress
	name := t.Ingress.Name + "-canary"
	if canary == nil {
		if len(step.Matches) == 0 && step.Traffic.OfUp(100) == 0 {
			return nil
		}
		return SetIngress{
			Name: name, Stable: stable.Name, Create: true, Backend: st.canaryName(), Reason: why,
			Annotations: class.Annotations(stable.Annotations, traffic.Strategy{Traffic: rollout.Percent(0)}),
		}
	}
	annotations := class.Annotations(canary.Annotations, step.strategy())
	if maps.Equal(annotations, canary.Annotations) {
		return nil
	}
	return SetIngress{Name: name, Annotations: annotations, Reason: why}
}

// ingressClass returns the class of the Ingress of a routing: the class of the snapshot, else
// a known one.
func (st *pass) ingressClass() (traffic.IngressClass, bool) {
	name := st.routing().Ingress.ClassType
	if name == "" {
		name = "nginx"
	}
	for _, list := range [][]traffic.IngressClass{st.s.IngressClasses, traffic.IngressClasses()} {
		if i := slices.IndexFunc(list, func(c traffic.IngressClass) bool { return c.Name == name }); i >= 0 {
			return list[i], true
		}
	}
	return traffic.IngressClass{}, false
}
