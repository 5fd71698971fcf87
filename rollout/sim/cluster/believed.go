// SPDX-License-Identifier: Apache-2.0

package cluster

import "fmt"

// A Fate is what a forecast takes to become of pods.
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
	Reported    Fate = "reported"     // they are not in the input, and are what the statuses of their owners tell
)

// A Belief is what was taken to become of some pods of a cluster, as they were seen there.
type Belief struct {
	Pods int    `json:"pods,omitzero"` // how many; 0 if it is about no pods that are there
	In   string `json:"in,omitzero"`   // what is seen of them, such as ImagePullBackOff: others wrote it, and it may be any text
	Then Fate   `json:"then"`
	Of   string `json:"of,omitzero"` // the UID of what controls them; "" if it is about nodes
}

// BelievedOf returns what is believed of the pods of some owners, by UID, and of nodes. Beliefs that differ in
// their owners alone become one, of no owner.
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

// String returns a sentence for people, without a full stop. In stands in it as it is.
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
