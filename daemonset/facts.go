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
