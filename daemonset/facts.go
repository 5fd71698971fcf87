// SPDX-License-Identifier: Apache-2.0

package daemonset

// facts is what a plan asks about a pod again and again. Large clusters are planned in
// one pass over the pods and several over their facts.
type facts uint8

const (
	isTerminating facts = 1 << iota // it is being deleted
	isFinished                      // it has ended
	isPreparing                     // it is about to be deleted
	isCurrent                       // it is new, after what the plan relabels
	isReady
	isAvailable // has been ready for minReadySeconds
	isServing   // available for the status
)

// factsOf looks at a pod that has a hash after the plan has relabelled it.
func factsOf(p *Pod, hash string, v *Version, a *Availability, kruise bool) facts {
	f := when(p.terminating(), isTerminating) | when(p.Finished(), isFinished) | when(v.matches(hash, p), isCurrent) |
		when(p.Ready, isReady) | when(a.Available(p), isAvailable)
	if kruise {
		return f | when(p.preparing(), isPreparing) | when(a.StatusAvailable(p), isServing)
	}
	return f | when(f.has(isAvailable), isServing)
}

// place returns the node among whose pods a pod of the DaemonSet is, "" if it is of none.
func (p *Pod) place(f facts, kruise bool) string {
	if !kruise && f.has(isFinished) && f.has(isTerminating) {
		return ""
	}
	return p.target()
}

// settled reports whether a pod that is alone on its node, and may stay, certainly does.
func (f facts) settled() bool { return !f.has(isTerminating | isFinished | isPreparing) }

// upToDate reports whether a pod that is alone on its node certainly leaves nothing to update.
func (f facts) upToDate() bool {
	return f&(isTerminating|isPreparing|isCurrent|isAvailable) == isCurrent|isAvailable
}

// isOld reports whether a pod is one that an update replaces.
func (f facts) isOld() bool { return !f.has(isTerminating | isCurrent) }

// has reports whether any of the facts holds.
func (f facts) has(any facts) bool { return f&any != 0 }

func when(holds bool, f facts) facts {
	if holds {
		return f
	}
	return 0
}

// A podFacts is a pod, nil for none, and what is known about it.
type podFacts struct {
	*Pod
	facts
}

func (p podFacts) exists() bool { return p.Pod != nil }

// preparing reports whether there is a pod that is about to be deleted.
func (p podFacts) preparing() bool { return p.exists() && p.has(isPreparing) }

// unavailable returns why a pod is not available.
func (p podFacts) unavailable() Reason {
	if p.has(isReady) {
		return ReasonNotAvailable
	}
	return ReasonNotReady
}

// uses returns why a node uses up the budget of an update without surge whose only pod has these
// facts, "" if it does not.
func (f facts) uses() Reason {
	switch {
	case f.has(isTerminating):
		return ReasonTerminating
	case f.has(isCurrent) && !f.has(isAvailable):
		return podFacts{facts: f}.unavailable()
	}
	return ""
}

// ends returns why a node waits for the end of its only pod, "" if it does not.
func (f facts) ends() Reason {
	if f.has(isTerminating) {
		return ReasonTerminating
	}
	return ""
}
