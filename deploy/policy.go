// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/rollout"
)

// stepBy computes one step of a rolling update by the policies: see [rollout.Step]. Its counts of
// old sets include sets that want no pods but may have some. Available pods of such sets count only
// with the policy WorstCase. If known is false, the new set does not grow.
func (in *input) stepBy(newSet rollout.Set, terminating int64, known bool) (st step) {
	for i, s := range in.old {
		n := in.policySet(s)
		n.Age = i
		if n.Wanted == 0 && !in.policy.WorstCase {
			n.Available = 0
		}
		st.old = append(st.old, n)
	}
	st.Rolling = rollout.Step(in.budget, newSet, st.old, terminating, in.policy)
	if !known {
		st.Size = min(st.Size, newSet.Wanted)
	}
	return st
}

// withRepairs returns the policy p with the fields that repair quirks set as repair says.
func withRepairs(p rollout.Policy, repair quirk.Set) rollout.Policy {
	p.ExactSums, p.ExactProducts = repair.Has(quirk.SumsWrapAround), repair.Has(quirk.ProductsWrapAround)
	p.CapAvailable, p.CapOld = repair.Has(quirk.ExcessAvailableCounts), repair.Has(quirk.StatusAheadStopsCleanup)
	return p
}
