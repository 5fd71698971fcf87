// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// roleVariable names the role of a process that [Command] has started.
const roleVariable = "KPLAN_E2E_ROLE"

const roleServer = "apiserver"

// Main runs the role of this process, and returns only in the process that the user has started.
// Call it first in main or TestMain. roles has the roles other than the API server; their functions
// return when they are done.
//
// A process with a role exits when its parent does, even if the parent is killed.
func Main(roles map[string]func() error) {
	role := os.Getenv(roleVariable)
	if role == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(1)
	}()
	run := roles[role]
	if role == roleServer {
		run = app.NewAPIServerCommand().Execute
	}
	if run == nil {
		fmt.Fprintf(os.Stderr, "no such role: %s\n", role)
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Command returns a command that runs this program again in a role. The caller must keep the
// returned pipe to its standard input open.
func Command(role string, args ...string) (*exec.Cmd, io.Closer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	stdin, err := cmd.StdinPipe()
	return cmd, stdin, err
}
