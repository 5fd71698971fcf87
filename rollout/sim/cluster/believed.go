// SPDX-License-Identifier: Apache-2.0

package cluster

import "fmt"

// A Fate is the future of pods as a forecast assumes it.
type Fate string

// The fates.
const (
	Stay        Fate = "stay"         // they stay as they are
	BecomeReady Fate = "become ready" // they are on their way
	End         Fate = "end"          // they are being deleted, and end at their deletion timestamps at the latest
	Wait        Fate = "wait"         // for room on a node
	Remain      Fate = "remain"       // finalizers let them remain after they are deleted
	NewUnready  Fate = "new unready"  // new pods of a template of which no pod is ready, and one is broken
	NewUnplaced Fate = "new unplaced" // new pods of a template of which no pod has a node, and one gets none
	FullNodes   Fate = "full nodes"   // nodes have no room for pods that were seen to find none
	Reported    Fate = "reported"     // they are not in the input, only in the statuses of their owners
)

// A Belief is the assumed future of some pods of a cluster, by their observed state.
type Belief struct {
	Pods int    `json:"pods,omitzero"` // how many; 0 if it is not about existing pods
	In   string `json:"in,omitzero"`   // their observed state, such as ImagePullBackOff: any text, from the input
	Then Fate   `json:"then"`
	Of   string `json:"of,omitzero"` // the UID of their controller; "" if it is about nodes
}

// BelievedOf returns the beliefs about the pods of some owners, by UID, and about nodes. Beliefs
// that differ only in their owners become one, without an owner.
func (s *Snapshot) BelievedOf(owns func(uid string) bool) (list []Belief) {
	at := map[Belief]int{}
	for _, b := range s.Believed {
		if b.Of != "" && !owns(b.Of) {
			continue
		}
		pods := b.Pods
		b.Pods, b.Of = 0, ""
		i, known := at[b]
		if !known {
			i = len(list)
			at[b] = i
			list = append(list, b)
		}
		list[i].Pods += pods
	}
	return list
}

// String returns a sentence without a full stop. It contains In unchanged.
func (b Belief) String() string {
	pods, s, their := fmt.Sprint(b.Pods, " pods"), "", "their"
	if b.Pods == 1 {
		pods, s, their = "1 pod", "s", "its"
	}
	switch b.Then {
	case Stay:
		return fmt.Sprintf("%s in %s stay%s so", pods, b.In, s)
	case BecomeReady:
		return fmt.Sprintf("%s in %s become%s ready", pods, b.In, s)
	case End:
		return fmt.Sprintf("%s in %s end%s within %s grace period", pods, b.In, s, their)
	case Wait:
		return fmt.Sprintf("%s in %s wait%s for room on a node", pods, b.In, s)
	case Remain:
		return fmt.Sprintf("%s with finalizers remain%s when deleted", pods, s)
	case NewUnready:
		return "new pods of a template of which no pod is ready do not become ready either"
	case NewUnplaced:
		return "new pods of a template of which no pod has a node find none either"
	case Reported:
		are := map[bool]string{true: "is not in the input, and is", false: "are not in the input, and are"}[b.Pods == 1]
		return fmt.Sprintf("%s %s as the status of %s ReplicaSet says", pods, are, their)
	case FullNodes:
		return "pods are Unschedulable: nodes have only the room of pods that end"
	}
	return fmt.Sprintf("%s in %s %s", pods, b.In, string(b.Then))
}
