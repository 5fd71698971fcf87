// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A bug is a text that replaces another one in a file of the repository.
type bug struct{ file, old, with string }

// planted lists the bug that breaks each property.
var planted = map[string]bug{
	"GrowthWithinSurge":              {"rollout/grow.go", "p.MaxTotal(b)-total, int64(b.Replicas)", "p.MaxTotal(b)-int64(size), int64(b.Replicas)"},
	"GrowthIsGreedy":                 {"rollout/grow.go", "int64(b.Replicas)-int64(size))\n", "int64(b.Replicas)-int64(size)-1)\n"},
	"GrowthWithoutOverflow":          {"rollout/grow.go", "wanted >= limit", "wanted > limit+1"},
	"TerminatingWithinGoal":          {"rollout/grow.go", "max(total, goal-terminating)", "max(total, goal-terminating+1)"},
	"RecreateWaits":                  {"rollout/grow.go", "wanted > 0 || left > 0", "wanted > 0 && left > 0"},
	"SaturatedServesAll":             {"rollout/grow.go", "newSet.Available == replicas", "newSet.Available <= replicas"},
	"PartitionGrowthWithinLimit":     {"rollout/grow.go", "min(int64(size)+room, int64(limit))", "max(int64(size)+room, int64(limit))"},
	"PartitionSurplusLeavesReplicas": {"rollout/grow.go", "int64(max(limit, size))", "int64(limit)"},
	"LimitsMove":                     {"rollout/budget.go", "above == 0 && below == 0", "above == 0 && below < 0"},
	"LimitsRound":                    {"rollout/budget.go", "surge.OfUp64(replicas), unavailable.of(replicas)", "surge.of(replicas), unavailable.of(replicas)"},
	"LimitsExact":                    {"rollout/budget.go", "min(unavailable, replicas)", "unavailable"},
	"PercentRounds":                  {"rollout/int_or_percent.go", "product%100 < 0", "product%100 < -1"},
	"SpareWithoutOverflow":           {"rollout/shrink.go", "max(available, least) - least", "max(available, least) - least + 1"},
	"NodesWithinUnavailable":         {"rollout/nodes.go", "max(n.OldUnavailable, 0), atMost(n.OldAvailable, rest(limit, n.Unavailable))", "max(n.OldUnavailable, 0), atMost(n.OldAvailable, rest(limit, n.OfOld))"},
	"NodesStrictlyWithinUnavailable": {"rollout/nodes.go", "atMost(n.OldAvailable, room-unavailable)", "atMost(n.OldAvailable, room)"},
	"NodesMove":                      {"rollout/nodes.go", "max(int(max(limit, 0))-max(used, 0), 0)", "max(int(max(limit, 0))-max(used, 0)-1, 0)"},
	"NodesStrictlyMove":              {"rollout/nodes.go", "rest(limit, max(n.Unavailable, 0)-max(n.OfOld, 0))", "rest(limit, max(n.Unavailable, 0))"},
	"NodesBelowNone":                 {"rollout/nodes.go", "max(n.Unavailable, 0)-max(n.OfOld, 0)", "n.Unavailable-max(n.OfOld, 0)"},
	"NodesWithinSurge":               {"rollout/nodes.go", "atMost(n.OldAvailable, rest(limit, n.Surging))", "atMost(n.OldAvailable, int(limit))"},
	"UndesiredNodesKeepService":      {"rollout/nodes.go", "max(n.Available, 0)-int(max(desired, 0))", "max(n.Available, 0)"},
	"NodePartitionKeepsOld":          {"rollout/nodes.go", "max(min(partition, desired), 0)", "min(partition, 0)"},
	"NodeLimitsMove":                 {"rollout/nodes.go", "desired > 0 && above == 0", "desired < 0 && above == 0"},
	"NodeLimitsAsGiven":              {"rollout/nodes.go", "surge.OfUp(desired), unavailable.OfUp(desired)", "surge.Of(desired), unavailable.OfUp(desired)"},
	"PartitionWithinReplicas":        {"rollout/partition/partition.go", "min(limit, int64(replicas)-1)", "min(limit, int64(replicas))"},
	"PartitionsMonotone":             {"rollout/partition/partition.go", "partition.Value() != 100 {", "partition.Value() != 99 {"},
	"BatchesMonotone":                {"rollout/partition/partition.go", "int32(max(0, min(batch.OfUp64(replicas), int64(replicas))))", "int32(max(0, int64(replicas)-min(batch.OfUp64(replicas), int64(replicas))))"},
	"PartitionRoundsUp":              {"rollout/int_or_percent.go", "product%100 > 0", "product%100 > 50"},
	"PartitionCreation":              {"rollout/partition/partition.go", "min(1, b.Replicas)", "min(2, b.Replicas)"},
	"PartitionLeavesOld":             {"rollout/partition/partition.go", "rollout.Surplus(replicas, Limit(partition, replicas)", "rollout.Surplus(replicas, BatchSize(partition, replicas)"},
	"PartitionsCompare":              {"rollout/partition/partition.go", "current.OfUp64(base) >= desired", "current.OfUp64(base) > desired"},
	"CloneSetLimits":                 {"rollout/partition/cloneset.go", "b.Surge == 0", "b.Surge > 0"},
	"ReadyShareStays":                {"rollout/protect.go", "int64(ready)-min(u, int64(replicas))", "int64(ready)-min(u+1, int64(replicas))"},
	"KeptWithinWanted":               {"rollout/protect.go", "max(least, s.Protected)", "s.Protected"},
	"SharesOfOldPods":                {"rollout/partition/partition.go", "int64(stable) * 100 / int64(replicas)", "int64(stable)*100/int64(replicas) + 1"},
	"StepWithinSurge":                {"rollout/roll.go", "p.Sum(p.Sum(total)+terminating)", "p.Sum(int64(newSet.Wanted)+terminating)"},
	"StepLeavesRoom":                 {"rollout/roll.go", "p.Sum(p.Sum(total)+terminating)", "p.Sum(total)"},
	"StepKeepsAvailable":             {"rollout/shrink.go", "RemoveAvailable(sizes, Spare(b, available, p))", "RemoveAvailable(sizes, room)"},
	"StepMeasureFalls":               {"rollout/shrink.go", "n := max(0, min(int64(size), spare-sum))", "n := min(int64(size), spare-sum-1)"},
	"StepEndsAtReplicas":             {"rollout/roll.go", "if r.Size < 0 {", "if r.Size <= 0 {"},
	"ShrinkWithinRoom":               {"rollout/shrink.go", "if r.Idle || room <= 0 {", "if r.Idle && room <= 0 {"},
	"StepNeverStuck":                 {"rollout/shrink.go", "if r.Idle || room <= 0 {", "if r.Idle || room <= 1 {"},
	"PlacesLeaveMost":                {"rollout/protect.go", "saturate(int64(b.Surge) + lost)", "b.Surge"},
	"GrowthWaits":                    {"rollout/protect.go", "if p.WaitForNew && newSet.Wanted != newSet.There {", "if p.WaitForNew && newSet.Wanted < newSet.There {"},
	"OvershootFreezes":               {"rollout/protect.go", "there > int64(b.MaxTotal())", "there > int64(b.MaxTotal())+1"},
	"ArgoGrowthWithinSurge":          {"rollout/argo/basic.go", "room+int64(stable)-int64(p.next.Stable)", "room"},
	"ArgoPassWithinSurge":            {"rollout/argo/basic.go", "*keep -= above()", "*keep -= above() / 2"},
	"ArgoPassDrains":                 {"rollout/argo/basic.go", "int64(p.stable.Replicas)-room)", "int64(p.stable.Replicas)-room+1)"},
	"ArgoPassEndsWithinSurge":        {"rollout/argo/basic.go", "*drain -= above()", "*drain -= above() / 2"},
	"WorstCaseWithinRoom":            {"rollout/worst_case.go", "min(rest.room, most)", "most"},
	"ArgoPassKeepsAvailable":         {"rollout/argo/basic.go", "room := available - least", "room := available - least + 1"},
	"VictimsInStrictWeakOrder":       {"podorder/ranking.go", "cmp.Compare(ageA, ageB), ageA == ageB", "cmp.Compare(ageA, ageB), ageA >= ageB-1"},
	"VictimsByTheirKeys":             {"podorder/ranking.go", "if a.restarts != b.restarts {\n\t\treturn cmp.Compare(b.restarts, a.restarts)", "if a.restarts != b.restarts {\n\t\treturn cmp.Compare(b.sidecars, a.sidecars)"},
	"ExcessNeverCounts":              {"rollout/counting.go", "p.CapAvailable || old && p.CapOld", "old && p.CapOld"},
	"OnDeleteWithinReplicas":         {"rollout/on_delete.go", "max(0, int64(replicas)-existing)", "max(1, int64(replicas)-existing)"},
	"OnDeleteTakesSurplus":           {"rollout/on_delete.go", "left += int64(size)\n", "left -= int64(size)\n"},
	"OnDeleteKeepsRest":              {"rollout/on_delete.go", "n := min(left, int64(sizes[i])); n > 0", "n := min(left, int64(sizes[i])); n >= 0"},
	"OnDeleteKeepsLeast":             {"rollout/roll.go", "max(size, p.least(newSet))", "size"},
	"TerminatingCountsOnce":          {"rollout/roll.go", "p.CountLarger || p.CountThere", "p.CountLarger && p.CountThere"},
	"CountedAsPolicySays":            {"rollout/counting.go", "p.CapAvailable || old && p.CapOld", "p.CapAvailable || old || p.CapOld"},
	"LeastStays":                     {"rollout/protect.go", "if !p.ProtectedApart {\n\t\tleast", "if p.ProtectedApart {\n\t\tleast"},
	"ApartAreNotKept":                {"rollout/protect.go", "if !p.ProtectedApart {\n\t\tleast", "if p.ProtectedApart {\n\t\tleast"},
	"LargerCountWithinSurge":         {"rollout/worst_case.go", "return int64(max(s.Wanted, s.There))", "return int64(min(s.Wanted, s.There))"},
	"DeadlockHasVictim":              {"rollout/worst_case.go", "s.Available != s.There && s.Wanted > (Counting{}).least(s)", "s.Available != s.There"},
	"MovesNeverGrowMore":             {"rollout/in_place.go", "growth = 1\n", "growth = 1 << 31\n"},
	"MovesMakeRoom":                  {"rollout/in_place.go", "max(0, total-int64(replicas))", "max(0, total-int64(replicas)-1)"},
	"ProportionalExactly":            {"rollout/proportion.go", "int64(sizes[0])+toAdd-added", "int64(sizes[0])+toAdd-added-1"},
	"FractionWithinHalf":             {"rollout/proportion.go", "a/b + 2*(a%b)/b", "a / b"},
	"SharesRound":                    {"rollout/proportion.go", "return min(fraction, left)", "return min(fraction/2, left)"},
	"FractionDirection":              {"rollout/proportion.go", "int64(before)) - int64(size)", "int64(before)) - int64(size) - 1"},
	"FractionWithoutOverflow":        {"rollout/proportion.go", "int64(size*(b.Replicas+b.Surge))", "int64(size*b.Replicas+b.Surge)"},
	"FractionOfNone":                 {"rollout/proportion.go", "int64(-size)", "int64(size)"},
	"ProportionWithinRest":           {"rollout/proportion.go", "return min(fraction, left)", "return max(fraction, left)"},
}

// overlay returns the file with the bug. It contains the replaced text once.
func (b bug) overlay() (map[string][]byte, error) {
	path, err := filepath.Abs(filepath.Join("..", "..", "..", b.file))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), b.old); n != 1 {
		return nil, fmt.Errorf("%s has %q %d times", b.file, b.old, n)
	}
	return map[string][]byte{path: []byte(strings.Replace(string(text), b.old, b.with, 1))}, nil
}

// String returns the old and the new text, on one line.
func (b bug) String() string {
	line := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	return fmt.Sprintf("%s: %s => %s", b.file, line(b.old), line(b.with))
}

// broken finds a case in which a property does not hold with its planted bug.
func (s *source) broken(name string) (*counterexample, error) {
	b, ok := planted[name]
	if !ok {
		return nil, fmt.Errorf("no bug is planted that breaks %s", name)
	}
	overlay, err := b.overlay()
	if err != nil {
		return nil, err
	}
	p, err := s.program(overlay)
	if err != nil {
		return nil, err
	}
	z3, err := solvers[0].start()
	if err != nil {
		return nil, err
	}
	defer z3.close()
	for _, c := range p.properties {
		if c.name() == name {
			found, err := p.counterexample(z3, c)
			if err == nil && found == nil {
				err = fmt.Errorf("%v breaks nothing", b)
			}
			return found, err
		}
	}
	return nil, fmt.Errorf("there is no property %s", name)
}
