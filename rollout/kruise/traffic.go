package kruise

import (
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// What a step does with traffic, in order; which state of the step calls it is in step.go:
//
//	a step without traffic     what earlier steps have led away is given back (cleanUp)
//	before the upgrade         the stable Service selects stable pods only (beforeUpgrade)
//	after the upgrade          the grace period, then the canary Service and the selectors
//	                           of both Services (services), the grace period again, then
//	                           the routes (lead); a step that updates all pods leads none
//	at the end                 see final.go

// routing returns where traffic is led, or nil if the Rollout has no traffic of its
// own. Only the first routing counts.
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

// selectPods writes one key of the selector of the stable Service.
func (st *pass) selectPods(key, value string, reason Reason) {
	st.add(SelectPods{Service: st.stable.Name, Key: key, Value: value, Reason: reason})
	selector := maps.Clone(st.stable.Selector)
	if selector == nil {
		selector = map[string]string{}
	}
	selector[key] = value
	st.stable = &traffic.Service{Name: st.stable.Name, Selector: selector}
}

// waitGrace waits for the grace of an action that changed something, now or before.
// It reports whether the action is done.
func (st *pass) waitGrace(key string, changed bool) bool {
	if changed {
		st.sub.LastUpdateTime = st.now
	}
	grace := max(0, time.Duration(st.routing().GracePeriodSeconds)*time.Second)
	if grace == 0 {
		delete(st.p.Grace, key)
		return true
	}
	if changed {
		if st.p.Grace == nil {
			st.p.Grace = Grace{}
		}
		st.p.Grace[key] = st.now
	}
	since, remembered := st.p.Grace[key]
	if !remembered {
		return true
	}
	if rest := since.Add(grace).Sub(st.now); rest > 0 {
		st.hold(ReasonGrace, int64(st.now.Sub(since).Seconds()), int64(grace.Seconds()))
		st.recheckAfter(rest)
		return false
	}
	delete(st.p.Grace, key)
	return true
}

// beforeUpgrade makes sure that the traffic stays where it is while pods are updated.
// It reports whether the pass goes on.
func (st *pass) beforeUpgrade(step *Step) bool {
	blueGreen := st.r.Style() == workload.BlueGreen
	if !step.routed() && !blueGreen {
		st.sub.CurrentStepState = StateUpgrade
		return false
	}
	if !blueGreen && st.full(step) && !st.restoreStable() {
		return false
	}
	covered := st.has(workload.StableServicePinnedForEver) && !blueGreen && st.full(step) || st.covered()
	if step.routed() && st.sub.CurrentStepIndex == 1 && !covered && st.pins() && !st.pinStable() {
		return false
	}
	st.sub.LastUpdateTime, st.sub.CurrentStepState = st.now, StateUpgrade
	return true
}

// pins reports whether the stable Service is to be pinned before the first step.
func (st *pass) pins() bool {
	if !st.r.Strategy().DisableGenerateCanaryService {
		return true
	}
	return st.r.Style() == workload.BlueGreen && !st.has(workload.CanaryServiceAssumed)
}

// covered reports whether all pods have been updated by a later step, or are about to be,
// since a jump back lowers no partition. The stable Service is not pinned then ([workload.StableServicePinnedForEver]).
func (st *pass) covered() bool {
	if !st.has(workload.StableServicePinnedForEver) || !st.r.RealPartition() || st.br == nil {
		return false
	}
	n := st.w.Replicas
	strategy, _ := partition.ParseStrategy(st.w.Annotations[partition.AnnotationStrategy])
	last, batches := st.br.ReleasePlan.BatchPartition, st.br.ReleasePlan.Batches
	released := last != nil && *last >= 0 && int(*last) < len(batches) && batches[*last].CanaryReplicas.OfUp64(n) >= int64(n)
	return released || st.sub.Replicas >= n || strategy.Partition.OfUp64(n) >= int64(n)
}

// pinStable lets the stable Service select stable pods only.
func (st *pass) pinStable() bool {
	t := st.routing()
	if t == nil {
		return true
	}
	stable := st.stable
	if t == nil || stable == nil || st.r.Strategy().DisableGenerateCanaryService {
		st.hold(ReasonNoStableService, 0, 0)
		return false
	}
	changed := stable.Selector[st.w.RevisionLabelKey] != st.sub.StableRevision
	if changed {
		st.selectPods(st.w.RevisionLabelKey, st.sub.StableRevision, ReasonPinTraffic)
	}
	return st.waitGrace("pin-stable/"+stable.Name, changed)
}

// restoreStable lets the stable Service select all pods again.
func (st *pass) restoreStable() bool {
	t := st.routing()
	stable := st.stable
	if t == nil || stable == nil {
		return true
	}
	key := ""
	if st.w != nil {
		key = st.w.RevisionLabelKey
	}
	changed := stable.Selector[key] != ""
	if changed {
		st.selectPods(key, "", ReasonRestoreTraffic)
	}
	return st.waitGrace("restore-stable/"+stable.Name, changed)
}

// restoreGateway leads all traffic to the stable Service.
func (st *pass) restoreGateway() bool {
	t := st.routing()
	if t == nil {
		return true
	}
	changed := false
	if route := st.s.Traffic.Route; route != nil && t.Gateway != nil {
		rules := traffic.Restored(route.Rules, t.Service, st.canaryName(), st.has(workload.HTTPRouteRulesLost))
		changed = st.setRoute(route, rules, ReasonRestoreTraffic)
	}
	if c := st.s.Traffic.CanaryIngress; c != nil && t.Ingress != nil {
		st.add(DeleteIngress{Name: c.Name, Reason: ReasonRestoreTraffic})
		changed = true
	}
	return st.waitGrace("restore-gateway/"+t.Service, changed)
}

// setRoute writes rules that differ, and reports whether they do.
func (st *pass) setRoute(route *traffic.Route, rules []traffic.Rule, reason Reason) bool {
	if union.Text(route.Rules) == union.Text(rules) {
		return false
	}
	st.add(SetRoute{Name: route.Name, Rules: rules, Reason: reason})
	return true
}

// removeCanary deletes the canary Service.
func (st *pass) removeCanary() bool {
	t := st.routing()
	if t == nil || st.r.Strategy().DisableGenerateCanaryService {
		return true
	}
	changed := st.s.Traffic.Canary != nil
	if changed {
		st.add(DeleteService{Name: st.canaryName(), Reason: ReasonRestoreTraffic})
	}
	return st.waitGrace("remove-canary/"+t.Service, changed)
}

// routeAllToNew leads all traffic to the canary Service.
func (st *pass) routeAllToNew() bool {
	t := st.routing()
	if t == nil || st.s.Traffic.Canary == nil && st.has(workload.CanaryServiceAssumed) && !st.r.Strategy().DisableGenerateCanaryService {
		return true
	}
	changed := st.lead(&Step{Traffic: rollout.Percent(100)}, ReasonRouteTraffic)
	return st.waitGrace("route-new/"+t.Service, changed)
}

// cleanUp takes back the traffic of a step that has none.
func (st *pass) cleanUp() bool {
	if st.routing() == nil {
		return true
	}
	return st.restoreStable() && st.restoreGateway() && st.removeCanary()
}

// routable reports whether the objects that lead traffic are there.
func (st *pass) routable() bool {
	t := st.routing()
	if t == nil {
		return true
	}
	missing := ""
	switch {
	case st.stable == nil:
		missing = "service " + t.Service
	case t.Gateway != nil && st.s.Traffic.Route == nil:
		missing = "HTTPRoute"
	case t.Ingress != nil && st.s.Traffic.Ingress == nil:
		missing = "ingress " + t.Ingress.Name
	}
	if missing != "" {
		st.hold(ReasonTrafficMissing, 0, 0)
		st.p.Failure = missing + " not found"
		return false
	}
	return true
}

// routeStep leads the traffic of a step. It reports whether that is done.
func (st *pass) routeStep(step *Step) bool {
	t := st.routing()
	if t == nil || !step.routed() {
		return true
	}
	stable := st.stable
	if stable == nil {
		st.hold(ReasonNoStableService, 0, 0)
		return false
	}
	grace := time.Duration(t.GracePeriodSeconds) * time.Second
	if grace <= 0 && !(grace == 0 && st.has(workload.ZeroGraceIgnored)) {
		grace = recheck
	}
	if since := st.sub.LastUpdateTime; since.Add(grace).After(st.now) {
		st.hold(ReasonGrace, int64(st.now.Sub(since).Seconds()), int64(grace.Seconds()))
		return false
	}
	if !st.r.Strategy().DisableGenerateCanaryService && !st.services(stable) {
		return false
	}
	if st.lead(step, ReasonRouteTraffic) {
		st.hold(ReasonTrafficChanged, 0, 0)
		return false
	}
	return true
}

// services makes the Services select the pods of their revisions, and reports whether
// they did already.
func (st *pass) services(stable *traffic.Service) bool {
	key := st.w.RevisionLabelKey
	if st.sub.StableRevision == "" || st.sub.PodTemplateHash == "" {
		st.hold(ReasonRevisionUnknown, 0, 0)
		return false
	}
	before := len(st.p.Actions)
	switch c := st.s.Traffic.Canary; {
	case c == nil:
		st.add(CreateService{
			Name: st.canaryName(), Stable: stable.Name, OwnerUID: st.r.UID, Selector: st.canarySelector(stable), Reason: ReasonRouteTraffic,
		})
	case c.Selector[key] != st.sub.PodTemplateHash:
		st.add(SelectPods{Service: c.Name, Key: key, Value: st.sub.PodTemplateHash, Reason: ReasonRouteTraffic})
	}
	if stable.Selector[key] != st.sub.StableRevision && !st.covered() {
		st.selectPods(key, st.sub.StableRevision, ReasonPinTraffic)
	}
	if len(st.p.Actions) == before {
		return true
	}
	st.sub.LastUpdateTime = st.now
	st.hold(ReasonTrafficChanged, 0, 0)
	return false
}

// canarySelector returns the selector of a new canary Service.
func (st *pass) canarySelector(stable *traffic.Service) map[string]string {
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
	selector[st.w.RevisionLabelKey] = st.sub.PodTemplateHash
	return selector
}

// lead writes the routes that lead traffic to the canary Service, and reports whether
// any changed.
func (st *pass) lead(step *Step, reason Reason) bool {
	t, changed := st.routing(), false
	if route := st.s.Traffic.Route; route != nil && t.Gateway != nil {
		rules := route.Rules
		if len(step.Matches) > 0 {
			rules = traffic.Matched(rules, t.Service, st.canaryName(), step.Matches, st.has(workload.HTTPRouteRulesLost))
		} else {
			rules = traffic.Weighted(rules, t.Service, st.canaryName(), step.Traffic.OfUp(100))
		}
		changed = st.setRoute(route, rules, reason)
	}
	return st.leadIngress(step, reason) || changed
}

func (st *pass) leadIngress(step *Step, reason Reason) bool {
	t, stable, canary := st.routing(), st.s.Traffic.Ingress, st.s.Traffic.CanaryIngress
	if t.Ingress == nil || stable == nil {
		return false
	}
	class, known := st.ingressClass()
	if !known {
		st.hold(ReasonTrafficMissing, 0, 0)
		st.p.Failure = "ingress class " + t.Ingress.ClassType + " not found"
		return true
	}
	name := t.Ingress.Name + "-canary"
	if canary == nil {
		if len(step.Matches) == 0 && step.Traffic.OfUp(100) == 0 {
			return false
		}
		st.add(SetIngress{
			Name: name, Stable: stable.Name, Create: true, Backend: st.canaryName(), Reason: reason,
			Annotations: class.Annotations(stable.Annotations, traffic.Strategy{Traffic: rollout.Percent(0)}),
		})
		return true
	}
	annotations := class.Annotations(canary.Annotations, step.strategy())
	if maps.Equal(annotations, canary.Annotations) {
		return false
	}
	st.add(SetIngress{Name: name, Annotations: annotations, Reason: reason})
	return true
}

// ingressClass returns the class of the Ingress of a routing: that of the snapshot, else
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
