// SPDX-License-Identifier: Apache-2.0

package rollout

// least is [Counting.Keeps] under the name that the proofs use.
func (p Counting) least(s Set) int32 {
	least := max(0, s.Least)
	if !p.ProtectedApart {
		least = max(least, s.Protected)
	}
	return min(least, max(0, s.Wanted))
}

// Keeps returns the lower bound to which a set may shrink:
//
//	min(wanted, max(least, protected))     min(wanted, least) with ProtectedApart
func (p Counting) Keeps(s Set) int32 { return p.least(s) }

// Places returns the budget for the new set. With ProtectedApart it is reduced by the protected
// pods of old sets, which the new set does not replace yet. replicas + surge does not change.
//
//	replicas = max(0, replicas - the sum of protected(old))
//	surge    = surge + the replicas subtracted
//
// Without ProtectedApart or without protected pods, Places returns b. Agones needs this, because
// players stay in old game servers.
//
//proof:ensures p.ProtectedApart || result.Replicas == b.Replicas && result.Surge == b.Surge
//proof:ensures result.Unavailable == b.Unavailable
//proof:ensures !p.ProtectedApart || b.Replicas < 0 || result.Replicas == b.Replicas-min(b.Replicas, sum(k, len(old), max(0, old[k].Protected)))
//proof:ensures !p.ProtectedApart || b.Replicas < 0 || result.Surge == min(2147483647, b.Surge+min(b.Replicas, sum(k, len(old), max(0, old[k].Protected))))
func (p Counting) Places(b Budget, old []Set) Budget {
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

// held returns the size of the new set after the policies that may prevent its growth to size.
//
//	wanted               if p.WaitForNew, and wanted != there
//	min(size, wanted)    if p.FreezeOvershoot, and the sum of there of all sets > replicas + surge
//	size                 otherwise
//
// With WaitForNew, as in Agones, a step is complete before the next begins. FreezeOvershoot is
// for machine-controller-manager: if existing machines were not counted, each pass would add
// machines again.
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

// Resolve returns the budget of a policy. Without OfReady it is [Resolve], or with ExactSums
// [ResolveExact], and ready is not read. With OfReady, as in Agones, a percentage of unavailable pods
// is taken of the ready pods instead of the wanted ones: a rollout that begins with few ready pods
// deletes fewer of them. Then the minimum of available pods may be below 0.
//
//	surge       = share of replicas, rounded up
//	unavailable = replicas - min(replicas, ready - u)
//	u           = min(replicas, percentage of ready, rounded down, or 1 if that is 0)
func (p Policy) Resolve(replicas, ready int32, surge, unavailable IntOrPercent) Budget {
	switch {
	case p.OfReady:
		return resolveReady(replicas, ready, surge, unavailable)
	case p.ExactSums:
		return ResolveExact(replicas, surge, unavailable)
	}
	return Resolve(replicas, surge, unavailable)
}

func resolveReady(replicas, ready int32, surge, unavailable IntOrPercent) Budget {
	u := unavailable.of(ready)
	if u == 0 {
		u = 1
	}
	least := min(int64(replicas), int64(ready)-min(u, int64(replicas)))
	return Budget{Replicas: replicas, Surge: saturate(surge.OfUp64(replicas)), Unavailable: saturate(int64(replicas) - least)}
}
