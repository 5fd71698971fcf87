// SPDX-License-Identifier: Apache-2.0

package podorder

import "slices"

// A Rule names the property that decides which of two pods is deleted first.
type Rule string

// The rules of the chains, in their order, and the tie breakers. The comment describes the pod
// that is deleted first.
const (
	RuleUnassigned Rule = "Unassigned"      // not assigned to a node
	RulePhase      Rule = "Phase"           // any other phase, then Unknown, then Running
	RuleNotReady   Rule = "NotReady"        // not ready
	RuleCost       Rule = "DeletionCost"    // lower deletion cost
	RuleNeighbours Rule = "Neighbours"      // more neighbours on the node
	RuleReadyTime  Rule = "ReadyTime"       // ready for less time; in one age bucket the smaller UID
	RuleRestarts   Rule = "Restarts"        // more restarts
	RuleSidecars   Rule = "SidecarRestarts" // more restarts of sidecars
	RuleCreated    Rule = "CreationTime"    // younger; in one age bucket the smaller UID
	RuleID         Rule = "ID"              // smaller UID, then name: for upstream the pods are equal
	RuleCycle      Rule = "Cycle"           // first in the canonical order, though upstream's comparison says otherwise or does not decide
)

// Further rules, for a Priority or stages that a caller adds to an order.
const (
	RulePriority  Rule = "DeletePriority" // see [Priority]
	RuleSpread    Rule = "Spread"         // more pods in its domain, counted again after each victim
	RuleSpecified Rule = "Specified"      // named by the caller
	RuleNodeState Rule = "NodeState"      // on a node that the caller names, such as one being drained
	RuleCompact   Rule = "Compact"        // fewer neighbours on the node
	RuleAvailable Rule = "Available"      // not available
)

// A Stage is one step of an order. It gives each pod a number, and the pod with the smaller
// number is deleted first. The numbers come from Key or Item. Without these, the Rule must be
// one of [RuleUnassigned] to [RuleNeighbours], or [RuleSpread]; for any other Rule all pods
// are equal.
//
// [RuleSpread] deletes from the domain with the most pods first, see [Order].Domains, and
// counts again after each victim. So the remaining pods are spread as evenly as the stages
// before it allow. If there are two such stages, each domain of the second must be within one
// domain of the first, such as racks within zones.
type Stage struct {
	Rule Rule `json:"rule"`
	// Key returns the number of a pod. It must be a pure function: it is called once for each
	// pod and must always give the same answer.
	Key func(p *Pod) int64 `json:"-"`
	// Item is a Key that also gets the index of the pod in the list, to read the caller's own
	// list of the same length. If Item is set, Key is ignored. In [Order.Compare] a has index 0
	// and b index 1.
	Item func(i int, p *Pod) int64 `json:"-"`
	// Text returns the value of a pod for an [Explanation]; nil shows the number. It must be a
	// pure function.
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

// Stages returns the stages of a chain, its rules before times and restarts, as a new slice.
// A caller may insert or replace stages. The chain [Items] has none.
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

// OnNodes returns a stage that deletes the pods first for whose node leaving returns true, such
// as a node being drained. The function must be pure.
func OnNodes(leaving func(node string) bool) Stage {
	return firstIf(RuleNodeState, "on a node that is leaving", func(p *Pod) bool { return leaving(p.NodeName) })
}

// Unavailable returns a stage that deletes the pods first that are not available at o.Now, see
// [Pod.Available]. Insert it after [RuleNotReady].
func (o Order) Unavailable(minReadySeconds int32) Stage {
	return firstIf(RuleAvailable, "not available", func(p *Pod) bool { return !p.Available(minReadySeconds, o.Now) })
}

// Tiers returns a stage that puts items into tiers and deletes those of earlier tiers first,
// such as unhealthy items before healthy ones. An item is in the first tier whose function
// returns true for its index in the list and the item. If there is none, it comes after all
// tiers. A nil function returns false. The functions must be pure.
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

// Costs returns a stage to use in place of [RuleCost]. It takes the cost of a pod from overlay,
// by name. A pod that is not in overlay keeps the cost of its annotation.
func Costs(overlay map[string]int64) Stage {
	return Stage{Rule: RuleCost, Key: func(p *Pod) int64 {
		if cost, ok := overlay[p.Name]; ok {
			return cost
		}
		return costOf(p)
	}}
}

// Compact returns a stage to use in place of [RuleNeighbours]. It deletes pods with fewer
// neighbours first, which empties nodes.
func Compact(neighbours Neighbours) Stage {
	return Stage{Rule: RuleCompact, Key: func(p *Pod) int64 { return int64(neighbours[p.NodeName]) }}
}

// firstIf returns a stage that deletes the pods first for which the function first returns true.
// text describes such a pod in an [Explanation].
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
// the order has neither: then places hold the values of the chain's stages.
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

// afterHealth returns the index after the stage [RuleNotReady], or after all stages if there is
// none.
func afterHealth(stages []Stage) int {
	for i := range stages {
		if stages[i].Rule == RuleNotReady && stages[i].Key == nil {
			return i + 1
		}
	}
	return len(stages)
}

// value returns the number that the stage compares, or 0 for [RuleSpread]. If counts is nil, it takes
// Neighbours of the order.
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

// phaseRank returns a number for a phase. Pods with smaller numbers are deleted first.
func phaseRank(p Phase) int8 {
	switch p {
	case Unknown:
		return 1
	case Running:
		return 2
	}
	return 0
}
