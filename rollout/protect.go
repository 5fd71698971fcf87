// SPDX-License-Identifier: Apache-2.0

package rollout

// least is [Policy.Keeps], by the name under which it is proved.
func (p Policy) least(s Set) int32 {
	least := max(0, s.Least)
	if !p.ProtectedApart {
		least = max(least, s.Protected)
	}
	return min(least, max(0, s.Wanted))
}

// Keeps returns the lower bound to which a set may shrink:
//
//	min(wanted, max(least, protected))     min(wanted, least) with ProtectedApart
func (p Policy) Keeps(s Set) int32 { return p.least(s) }

// Places returns the budget that protected pods of old sets leave to the new set, if they
// are counted separately: the new set does not replace such a pod yet. The maximum of pods
// stays the same.
//
//	replicas = max(0, replicas - the sum of protected(old))
//	surge    = surge + the replicas subtracted
//
// Agones needs it, where players stay in old game servers; without the policy, and without
// protected pods, it returns b.
//
//proof:ensures p.ProtectedApart || result.Replicas == b.Replicas && result.Surge == b.Surge
//proof:ensures result.Unavailable == b.Unavailable
//proof:ensures !p.ProtectedApart || b.Replicas < 0 || result.Replicas == b.Replicas-min(b.Replicas, sum(k, len(old), max(0, old[k].Protected)))
//proof:ensures !p.ProtectedApart || b.Replicas < 0 || result.Surge == min(2147483647, b.Surge+min(b.Replicas, sum(k, len(old), max(0, old[k].Protected))))
func (p Policy) Places(b Budget, old []Set) Budget {
	if !p.ProtectedApart {
		return b
	}
	inUse := int64(0)
	//proof:keeps inUse == sum(k, done, max(0, old[k].Protected)) && 0 <= inUse && inUse <= 2147483647*done
	for _, s := range old {
		inUse += int64(max(0, s.Protected))
	}
	lost := min(inUse, int64(max(0, b.Replicas)))
	return Budget{saturate(int64(b.Replicas) - lost), saturate(int64(b.Surge) + lost), b.Unavailable}
}

// held returns the size of the new set, which would get size, if growth waits.
//
//	wanted               if p.WaitForNew, and wanted != there
//	min(size, wanted)    if p.FreezeOvershoot, and the sum of there of all > replicas + surge
//
// Agones waits for the new set, so that one step is carried out before the next. An
// overshoot stops growth in machine-controller-manager: if machines appear without being
// counted, each pass would add as many again.
//
//proof:ensures p.WaitForNew && newSet.Wanted != newSet.There || result == size || result == min(size, newSet.Wanted)
//proof:ensures !p.WaitForNew || newSet.Wanted == newSet.There || result == newSet.Wanted
//proof:ensures p.WaitForNew && newSet.Wanted != newSet.There || p.FreezeOvershoot || result == size
//proof:ensures p.WaitForNew && newSet.Wanted != newSet.There || newSet.There+sum(k, len(old), old[k].There) > b.MaxTotal() || result == size
//proof:ensures !p.FreezeOvershoot || newSet.There+sum(k, len(old), old[k].There) <= b.MaxTotal() || result <= newSet.Wanted
func (p Policy) held(b Budget, newSet Set, size int32, old []Set) int32 {
	if p.WaitForNew && newSet.Wanted != newSet.There {
		return newSet.Wanted
	}
	if p.FreezeOvershoot {
		there := int64(newSet.There)
		//proof:keeps there == newSet.There+sum(k, done, old[k].There) && -2147483648*(done+1) <= there && there <= 2147483647*(done+1)
		for _, s := range old {
			there += int64(s.There)
		}
		if there > int64(b.MaxTotal()) {
			return min(size, newSet.Wanted)
		}
	}
	return size
}

// ResolveReady is [Resolve] with the unavailable share taken of ready pods instead of
// wanted ones, so that a rollout that begins with few ready pods removes fewer of them.
// Nothing is capped at 0.
//
//	surge       = share of replicas, rounded up
//	unavailable = replicas - min(replicas, ready - u)
//	u           = min(replicas, share of ready, rounded down, or 1 if that is 0)
//
// Agones needs it.
func ResolveReady(replicas, ready int32, surge, unavailable IntOrPercent) Budget {
	u := unavailable.of(ready)
	if u == 0 {
		u = 1
	}
	least := min(int64(replicas), int64(ready)-min(u, int64(replicas)))
	return Budget{Replicas: replicas, Surge: saturate(surge.OfUp64(replicas)), Unavailable: saturate(int64(replicas) - least)}
}
