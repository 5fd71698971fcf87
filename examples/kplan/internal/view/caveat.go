// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Caveat is a fact that a controller ignores and users have to know: controllers look at labels
// and readiness, not at images and host ports.
type Caveat struct {
	Means string   `json:"means"`
	Ends  string   `json:"ends"`
	Stuck bool     `json:"stuck"`           // it does not end by itself, and blocks the rollout
	Nodes []string `json:"nodes,omitempty"` // of a DaemonSet: the nodes of the affected pods
}

// PortsOfNodes returns the caveat that the old pods of nodes have the host ports of new DaemonSet
// pods.
func PortsOfNodes(ports, nodes []string, stuck bool) Caveat {
	return Caveat{
		Means: fmt.Sprintf("New pods cannot start beside old ones that have host port %s: on %s.", strings.Join(ports, " and "), ofNodes(nodes)),
		Ends:  "It does not end by itself. With maxSurge 0 the old pod of a node goes first; or the template does without the host port.",
		Stuck: stuck, Nodes: nodes,
	}
}

// PortsTaken returns the caveat that new pods fit on no node, because old pods have their host
// ports.
func PortsTaken(pods int, ports []string, stuck bool) Caveat {
	return Caveat{
		Means: fmt.Sprintf("%s no node where host port %s is free, which old pods have.", count(pods, "new pod finds", "new pods find"), strings.Join(ports, " and ")),
		Ends:  "It does not end by itself. With maxSurge 0 and maxUnavailable 1 an old pod goes first; or add a node, or do without the host port.",
		Stuck: stuck,
	}
}

// OtherImages returns the caveat that pods which count as new run another image than the template.
// Of is the source of the image, or "".
func OtherImages(pods int, image, of, ends string) Caveat {
	from := ""
	if of != "" {
		from = ", as " + of + " has it"
	}
	return Caveat{Means: fmt.Sprintf("%s another image than the template has: %s%s.", count(pods, "pod that counts as new runs", "pods that count as new run"), image, from), Ends: ends}
}

func ofNodes(names []string) string {
	if len(names) == 1 {
		return "node " + names[0]
	}
	return fmt.Sprintf("%d nodes: %s", len(names), Folded(names))
}

// withCaveats adds caveats to a state and its explanation. A caveat that does not end by itself is
// the cause, and comes first.
func withCaveats(state State, why string, caveats []Caveat) (State, string) {
	for _, c := range caveats {
		if c.Stuck {
			state, why = StateStuck, c.Means+" "+why
		} else {
			why += " " + c.Means
		}
	}
	return state, why
}

// writeCaveats writes caveats, and what ends each of them.
func writeCaveats(w *terminal.Writer, caveats []Caveat) {
	for i, c := range caveats {
		if i == 0 {
			w.Printf("\nThe controller does not see:\n")
		}
		w.Printf("  %s\n    What ends it: %s\n", c.Means, c.Ends)
	}
}
