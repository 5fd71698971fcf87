// SPDX-License-Identifier: Apache-2.0

package adopters

import "github.com/kplan-go/kplan/rollout"

// A GameServerSet is a GameServerSet of Agones. Allocated and reserved servers have players.
type GameServerSet struct {
	Name                                                string
	Wanted, There, Ready, Allocated, Reserved, Shutdown int32
}

// A Fleet is a Fleet of Agones, with its sets in the order in which they shrink.
type Fleet struct {
	Replicas, FleetReady     int32
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	RollingUpdateFix         bool // MaxUnavailable is a share of ready servers
	Active                   GameServerSet
	Rest                     []GameServerSet
}

// Grow returns the size of the active set. Servers beyond the surge are taken from it, and one
// step adds at most the surge.
func (f Fleet) Grow() int32 {
	agones, active, rest, there := rollout.Agones(), f.Active, []rollout.Set(nil), int32(0)
	for _, s := range f.Rest {
		rest = append(rest, rollout.Set{There: s.There, Protected: s.Allocated})
		there += s.There
	}
	b := rollout.Resolve(f.Replicas, f.MaxSurge, f.MaxUnavailable)
	size := rollout.Roll(b, rollout.Set{Wanted: active.Wanted, There: active.There}, rest, 0, agones).Size
	if active.Wanted != active.There || active.Wanted >= agones.Places(b, rest).Replicas {
		return size
	}
	return max(0, min(f.Replicas, active.Wanted+b.Surge, b.MaxTotal()-there, agones.Places(b, rest).Replicas))
}

// Shrink returns the sizes of the other sets. Servers that are not ready go first, and then
// ready servers of sets that have as many servers as they want and no servers shutting down.
// One server may always be unavailable, whatever the surge is.
func (f Fleet) Shrink() map[string]int32 {
	sizes, names, old := map[string]int32{}, []GameServerSet(nil), []rollout.Set(nil)
	b, p := rollout.Resolve(f.Replicas, rollout.Int(0), f.MaxUnavailable), rollout.Counting{ExactSums: true, CapOld: f.RollingUpdateFix}
	missing, ready, room := f.Active.Wanted-f.Active.Ready-f.Active.Allocated, int64(f.Active.Ready), int64(f.Active.Wanted)
	if f.RollingUpdateFix {
		b = rollout.Agones().Resolve(f.Replicas, f.FleetReady, f.MaxSurge, f.MaxUnavailable)
		missing, room = missing-f.Active.Reserved-f.Active.Shutdown, ready
	}
	for _, s := range f.Rest {
		sizes[s.Name] = s.Wanted
		ready += int64(s.Ready)
		serving := s.Ready
		if f.RollingUpdateFix {
			serving, room = serving+s.Allocated+s.Reserved, room+int64(s.Ready)
		} else {
			room += int64(s.Wanted)
		}
		if s.Wanted > 0 {
			names, old = append(names, s), append(old, rollout.Set{Wanted: s.Wanted, Available: serving})
		}
	}
	room -= p.MinAvailable(b) + int64(missing)
	if room <= 0 {
		return sizes
	}
	lost, _, ahead := rollout.RemoveUnavailable(old, room, p)
	left := rollout.Remaining(old, lost)
	for i, s := range names {
		sizes[s.Name] = left[i]
	}
	if ahead < 0 {
		f.shrinkReady(names, left, ready-p.MinAvailable(b), sizes)
	}
	return sizes
}

// shrinkReady takes spare servers from sets that have as many servers as they want, up to the
// first set that is still changing. It takes none from a set with servers shutting down. A set
// with players on all servers wants none afterwards.
func (f Fleet) shrinkReady(names []GameServerSet, left []int32, spare int64, sizes map[string]int32) {
	free := make([]int32, len(left))
	for i, s := range names {
		if left[i] > 0 && left[i] != s.There {
			break
		}
		if s.Shutdown == 0 {
			free[i] = left[i]
		}
	}
	gone, _ := rollout.RemoveAvailable(free, spare)
	for i, s := range names {
		if sizes[s.Name] -= gone[i]; gone[i] > 0 && f.RollingUpdateFix && s.There == s.Allocated {
			sizes[s.Name] = 0
		}
	}
}

// Scale returns the size of the active set and of the others. Without other sets it has all
// replicas; if the other sets want no servers, it has the replicas that their players leave.
func (f Fleet) Scale(strategy string) (active int32, rest map[string]int32) {
	rest, wanted, inUse, reserved := map[string]int32{}, int32(0), int32(0), int32(0)
	for _, s := range f.Rest {
		rest[s.Name] = 0
		wanted, inUse, reserved = wanted+s.Wanted, inUse+s.Allocated, reserved+s.Reserved
	}
	switch {
	case len(f.Rest) == 0:
		return f.Replicas, rest
	case wanted == 0:
		return f.Replicas - inUse - reserved, rest
	case strategy == "Recreate":
		return max(0, f.Replicas-inUse), rest
	}
	return f.Grow(), f.Shrink()
}
