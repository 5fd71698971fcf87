// SPDX-License-Identifier: Apache-2.0

package podorder

import "slices"

// A Rule names the property that distinguishes two pods.
type Rule string

// The rules of the chains, in their order, and the tie breakers.
const (
	RuleUnassigned Rule = "Unassigned"      // one is not assigned to a node
	RulePhase      Rule = "Phase"           // Pending, then Unknown, then Running
	RuleNotReady   Rule = "NotReady"        // one is not ready
	RuleCost       Rule = "DeletionCost"    // the lower deletion cost
	RuleNeighbours Rule = "Neighbours"      // more neighbours on the node
	RuleReadyTime  Rule = "ReadyTime"       // ready for less time; in one age bucket the smaller UID
	RuleRestarts   Rule = "Restarts"        // more restarts
	RuleSidecars   Rule = "SidecarRestarts" // more restarts of sidecars
	RuleCreated    Rule = "CreationTime"    // younger; in one age bucket the smaller UID
	RuleID         Rule = "ID"              // equal for upstream; UID and name decide
	RuleCycle      Rule = "Cycle"           // upstream orders this pair the other way or not at all, but has a cycle in the set
)

// Further rules, for stages that a caller adds to an order.
const (
	RulePriority  Rule = "DeletePriority"
	RuleSpread    Rule = "Spread"    // more pods in its domain, counted again after each victim
	RuleSpecified Rule = "Specified" // the caller has named the pod
	RuleNodeState Rule = "NodeState" // its node is going away
	RuleCompact   Rule = "Compact"   // fewer neighbours on the node
	RuleAvailable Rule = "Available" // ready, but not available yet
)

// A Stage is one step of an order: it compares a number of each pod, and the pod with the
// smaller number is deleted first. A stage without a Key or Item is one of the rules
// [RuleUnassigned] to [RuleNeighbours], or [RuleSpread]; any other rule without a Key or Item
// finds all pods equal.
//
// [RuleSpread] deletes from the fullest of [Order.Domains] first and counts again after each
// victim, so that the remaining pods are as even as the stages before it allow. Of two such
// stages the domains of the second must lie within the domains of the first.
type Stage struct {
	Rule Rule `json:"rule"`
	// Key returns the number of a pod. It must be a pure function: it is called once for each
	// pod and must always give the same answer.
	Key func(p *Pod) int64 `json:"-"`
	// Item is a Key that also gets the index of the pod in the ordered list, so that it can
	// read a parallel list of the caller; it replaces Key. [Order.Compare] has no list: there
	// a has index 0 and b index 1.
	Item func(i int, p *Pod) int64 `json:"-"`
	// Text prints the number of a pod in an explanation; nil prints the number itself. It
	// must be a pure function.
	Text func(p *Pod) string `json:"-"`
	// Domains are the domains of this stage, for RuleSpread; nil means the Domains of the
	// order.
	Domains Domains `json:"domains,omitzero"`
}

// Domains is the failure domain, such as the zone, of each node, by node name. A node that is
// not listed is in the domain "". With empty Domains all nodes are in that domain, and with
// nil Domains each node is its own domain.
type Domains map[string]string

// domain returns the domain of a node.
func (d Domains) domain(node string) string {
	if d == nil {
		return node
	}
	return d[node]
}

// Stages returns the stages of a chain before its times and restarts. A caller may insert
// stages or replace some.
func (c Chain) Stages() []Stage {
	if c == Items {
		return []Stage{}
	}
	stages := []Stage{{Rule: RuleUnassigned}, {Rule: RulePhase}, {Rule: RuleNotReady}}
	if !c.legacy() {
		stages = append(stages, Stage{Rule: RuleCost}, Stage{Rule: RuleNeighbours})
	}
	return stages
}

// Specified returns a stage that deletes the pods with these names first.
func Specified(names ...string) Stage {
	listed := make(map[string]bool, len(names))
	for _, name := range names {
		listed[name] = true
	}
	return firstIf(RuleSpecified, "specified", func(p *Pod) bool { return listed[p.Name] })
}

// OnNodes returns a stage that deletes pods first if leaving is true of their node, such as a
// node being drained. The function must be pure.
func OnNodes(leaving func(node string) bool) Stage {
	return firstIf(RuleNodeState, "on a node that is leaving", func(p *Pod) bool { return leaving(p.NodeName) })
}

// Unavailable returns a stage that deletes pods first that are not available at the time of
// the order; it belongs after [RuleNotReady].
func (o Order) Unavailable(minReadySeconds int32) Stage {
	return firstIf(RuleAvailable, "not available", func(p *Pod) bool { return !p.Available(minReadySeconds, o.Now) })
}

// Tiers returns a stage that puts items in tiers, such as unhealthy items before healthy
// ones: each item is in the first tier whose predicate is true of it and its index in the
// list, and after all tiers if no predicate is true. Predicates must be pure functions.
func Tiers(rule Rule, tiers ...func(i int, p *Pod) bool) Stage {
	return Stage{Rule: rule, Item: func(i int, p *Pod) int64 {
		for n, in := range tiers {
			if in != nil && in(i, p) {
				return int64(n)
			}
		}
		return int64(len(tiers))
	}}
}

// Costs returns a stage that replaces [RuleCost]. It takes the costs of pods from overlay, by
// name; pods that overlay does not name keep the cost of their annotation.
func Costs(overlay map[string]int64) Stage {
	return Stage{Rule: RuleCost, Key: func(p *Pod) int64 {
		if cost, ok := overlay[p.Name]; ok {
			return cost
		}
		return costOf(p)
	}}
}

// Compact returns a stage that replaces [RuleNeighbours]. It deletes pods with fewer
// neighbours first, so that nodes become empty.
func Compact(neighbours Neighbours) Stage {
	return Stage{Rule: RuleCompact, Key: func(p *Pod) int64 { return int64(neighbours[p.NodeName]) }}
}

// firstIf returns a stage that deletes pods first if first is true of them.
func firstIf(rule Rule, text string, first func(p *Pod) bool) Stage {
	return Stage{
		Rule: rule,
		Key: func(p *Pod) int64 {
			if first(p) {
				return 0
			}
			return 1
		},
		Text: func(p *Pod) string {
			if first(p) {
				return text
			}
			return "not " + text
		},
	}
}

func costOf(p *Pod) int64 {
	if len(p.Annotations) == 0 {
		return 0
	}
	cost, _ := DeletionCost(p.Annotations)
	return int64(cost)
}

// resolvedStages returns the stages of the order with the stages of its Priority. It returns nil if
// they are the stages of the chain, which fit in one number.
func (o *Order) resolvedStages() []Stage {
	stages := o.Stages
	if stages == nil && o.Chain == Items {
		stages = []Stage{}
	}
	switch o.Priority {
	case PriorityAnnotatedFirst, PriorityMissingAsZero, PriorityAfterHealth:
		if stages == nil {
			stages = o.Chain.Stages()
		}
	default:
		return stages
	}
	stages = slices.Clone(stages)
	stage := Stage{Rule: RulePriority, Key: priorityKey, Text: priorityText}
	switch o.Priority {
	case PriorityAfterHealth:
		stage.Key = costKey
		return slices.Insert(stages, afterHealth(stages), stage)
	case PriorityAnnotatedFirst:
		return slices.Insert(stages, 0, Stage{Rule: RulePriority, Key: annotatedKey, Text: priorityText}, stage)
	}
	return slices.Insert(stages, 0, stage)
}

// afterHealth returns the index after the readiness of pods.
func afterHealth(stages []Stage) int {
	for i := range stages {
		if stages[i].Rule == RuleNotReady && stages[i].Key == nil {
			return i + 1
		}
	}
	return len(stages)
}

// value returns the number that the stage compares, except for [RuleSpread] in a list.
func (o *Order) value(s *Stage, i int, p *Pod, counts *neighbourCounts) int64 {
	switch {
	case s.Item != nil:
		return s.Item(i, p)
	case s.Key != nil:
		return s.Key(p)
	}
	switch s.Rule {
	case RuleUnassigned:
		return boolToInt(p.NodeName != "")
	case RulePhase:
		return int64(phaseRank(p.Phase))
	case RuleNotReady:
		return boolToInt(p.Ready)
	case RuleCost:
		return costOf(p)
	case RuleNeighbours:
		return -int64(o.neighbours(p, counts))
	}
	return 0
}

func (o *Order) neighbours(p *Pod, counts *neighbourCounts) int32 {
	if counts != nil {
		return counts.count(p.NodeName)
	}
	return o.Neighbours[p.NodeName]
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// phaseRank orders phases by how little is lost with the pod.
func phaseRank(p Phase) int8 {
	switch p {
	case Unknown:
		return 1
	case Running:
		return 2
	}
	return 0
}
