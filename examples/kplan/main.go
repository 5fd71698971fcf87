// Command kplan shows what the Deployment controller of Kubernetes will do next,
// and how a rollout will go, without a cluster. As kubectl-kplan in the path it is
// a plugin of kubectl.
package main

import (
	"os"

	"github.com/kplan-go/kplan/examples/kplan/internal/command"
)

func main() {
	os.Exit(command.Execute(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
