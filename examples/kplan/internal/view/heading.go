// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout"
)

// The originals whose controllers plans are those of, but for what flags change.
const (
	ofKubernetes = "Kubernetes"
	ofOpenKruise = "OpenKruise"
	ofArgo       = "Argo Rollouts"
)

// writePolicies says that the planner does not do what the controller of somebody would.
func writePolicies(w *terminal.Writer, flags []string, whose string) {
	if len(flags) > 0 {
		w.Printf("With %s, unlike %s.\n\n", strings.Join(flags, " "), whose)
	}
}

// writeAssumed says what a simulation takes for granted.
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

// heading writes what is wanted and the bounds of the way there.
func heading(w *terminal.Writer, namespace, name string, b rollout.Budget) {
	if namespace != "" {
		name = namespace + "/" + name
	}
	w.Printf("Deployment %s: %s, at most %d wanted, at least %d available\n\n",
		name, plural(b.Replicas, "replica"), b.MaxTotal(), b.MinAvailable())
}
