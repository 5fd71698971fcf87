package daemonset

import "cmp"

// status counts the nodes (rule T-1). With seen, the generation counts as observed.
func (st *state) status(p *Plan, seen bool) {
	s := Status{ObservedGeneration: st.ds.Status.ObservedGeneration, CollisionCount: p.Status.CollisionCount, DesiredNumberScheduled: st.desired}
	if seen {
		s.ObservedGeneration = st.ds.Generation
	}
	if st.opts.kruise() {
		s.UpdateRevision = st.version.Hash
	}
	for i := range st.nodes {
		k := &st.keys[i]
		switch {
		case k.count == 0:
		case k.run:
			s.CurrentNumberScheduled++
			st.countPod(&s, st.face(k))
		default:
			s.NumberMisscheduled++
		}
	}
	s.NumberUnavailable = s.DesiredNumberScheduled - s.NumberAvailable
	p.Status = s
}

func (st *state) countPod(s *Status, p *Pod) {
	if p.Ready {
		s.NumberReady++
		if st.statusAvailable(p) {
			s.NumberAvailable++
		}
	}
	if st.version.current(p) {
		s.UpdatedNumberScheduled++
	}
}

func (st *state) statusAvailable(p *Pod) bool {
	if st.opts.kruise() {
		return st.availability.StatusAvailable(p)
	}
	return st.availability.Available(p)
}

// face returns the pod that stands for a node in the status: the oldest. With
// Corrected it is the best one that is not being deleted (D-9).
func (st *state) face(k *nodeKey) *Pod {
	pods := st.podsOf(k)
	best := &st.pods[pods[0]]
	for _, n := range pods[1:] {
		if p := &st.pods[n]; st.compareFaces(p, best) < 0 {
			best = p
		}
	}
	return best
}

func (st *state) compareFaces(a, b *Pod) int {
	if !st.opts.Corrected {
		return ComparePods(a, b)
	}
	return cmp.Or(compareBool(a.terminating(), b.terminating()),
		compareBool(st.availability.Available(b), st.availability.Available(a)), compareBool(b.Ready, a.Ready),
		compareBool(st.version.current(b), st.version.current(a)), ComparePods(a, b))
}

// recheck finds the next instant at which a pod becomes available, if it stays ready
// (rule T-4).
func (st *state) recheck(p *Plan) {
	if st.ds.MinReadySeconds == 0 {
		return
	}
	for _, i := range st.owned {
		pod := &st.pods[i]
		if at, ok := st.availability.At(pod); ok && at.After(st.now) {
			p.recheck(at)
		}
	}
}

// copyStatus returns the last written status, to be written again.
func copyStatus(s Status) Status {
	if s.CollisionCount != nil {
		s.CollisionCount = new(*s.CollisionCount)
	}
	return s
}
