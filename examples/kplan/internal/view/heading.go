// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout"
)

// The projects whose controllers the plans follow, unless flags change that.
const (
	ofKubernetes = "Kubernetes"
	ofOpenKruise = "OpenKruise"
	ofArgo       = "Argo Rollouts"
)

// writePolicies writes the flags that make the plan differ from the original controller.
func writePolicies(w *terminal.Writer, flags []string, whose string) {
	if len(flags) > 0 {
		w.Printf("With %s, unlike %s.\n\n", strings.Join(flags, " "), whose)
	}
}

// writeAssumed writes the assumptions.
func writeAssumed(w *terminal.Writer, assumed []string) {
	if len(assumed) > 0 {
		w.Printf("Assumed:\n")
	}
	for _, text := range assumed {
		w.Printf("  %s\n", text)
	}
	if len(assumed) > 0 {
		w.Printf("\n")
	}
}

// heading writes the replicas and limits of a Deployment.
func heading(w *terminal.Writer, namespace, name string, b rollout.Budget) {
	if namespace != "" {
		name = namespace + "/" + name
	}
	w.Printf("Deployment %s: %s, at most %d wanted, at least %d available\n\n",
		name, plural(b.Replicas, "replica"), b.MaxTotal(), b.MinAvailable())
}
