package daemonset

// facts is what a plan asks about a pod again and again. Large clusters are planned in
// one pass over the pods and several over their facts.
type facts uint8

const (
	terminating facts = 1 << iota // it is being deleted
	finished                      // it has ended
	preparing                     // it is about to be deleted
	current                       // it is new (rule V-6), after what the plan relabels
	ready
	available // rule V-3
	serving   // available for the status (rule V-4)
)

// has reports whether any of the facts holds.
func (f facts) has(any facts) bool { return f&any != 0 }

func when(holds bool, f facts) facts {
	if holds {
		return f
	}
	return 0
}

// factsOf looks at a pod.
func (st *state) factsOf(p *Pod) facts {
	f := when(p.terminating(), terminating) | when(p.Finished(), finished) | when(st.version.current(p), current) |
		when(p.Ready, ready) | when(st.availability.Available(p), available)
	if st.opts.kruise() {
		return f | when(p.preparing(), preparing) | when(st.availability.StatusAvailable(p), serving)
	}
	return f | when(f.has(available), serving)
}

// A podFacts is a pod, nil for none, and what is known about it.
type podFacts struct {
	*Pod
	facts
}

func (p podFacts) exists() bool { return p.Pod != nil }

// preparing reports whether there is a pod that is about to be deleted.
func (p podFacts) preparing() bool { return p.exists() && p.has(preparing) }

// unavailable returns why a pod is not available.
func (p podFacts) unavailable() Reason {
	if p.has(ready) {
		return ReasonNotAvailable
	}
	return ReasonNotReady
}
