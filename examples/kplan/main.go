// SPDX-License-Identifier: Apache-2.0

// Command kplan shows what the controllers of Kubernetes and OpenKruise will do next
// with Deployments, DaemonSets and Rollouts, and how a rollout will go, from files or
// from a cluster. As kubectl-kplan in the path it is a plugin of kubectl.
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
