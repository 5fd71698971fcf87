// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
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

// writeRecheck writes when the controller has to look again, unless that is zero.
func writeRecheck(w *terminal.Writer, label string, at, now time.Time) {
	if !at.IsZero() {
		w.Printf("%s%s, in %s\n", label, at.Format(time.RFC3339), clock(at.Sub(now)))
	}
}
