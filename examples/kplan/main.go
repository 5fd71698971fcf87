// SPDX-License-Identifier: Apache-2.0

// Command kplan shows the next actions of the controllers of Kubernetes, OpenKruise and Argo for
// Deployments, DaemonSets and Rollouts, and simulates rollouts, from files or from a cluster. As
// kubectl-kplan in the path it is a plugin of kubectl.
package main

import (
	"os"
	"runtime/debug"

	"github.com/kplan-go/kplan/examples/kplan/internal/command"
)

func main() { os.Exit(run()) }

// run runs the command and returns its exit code.
func run() int {
	debug.SetGCPercent(25) // files may be large, and machines small
	command.Libraries(os.Stderr)
	return command.Execute(os.Args, os.Stdin, os.Stdout, os.Stderr)
}
