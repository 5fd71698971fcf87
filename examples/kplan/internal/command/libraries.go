// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"io"
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// discovery is the message of the libraries if no server answers. The command returns the same
// error.
const discovery = "Couldn't get current server API group list"

// Libraries makes the libraries of Kubernetes write errors and warnings of servers to stderr as
// notes, escaped and each once. By default they log them unescaped. Only main may call it,
// because it changes global variables.
func Libraries(stderr io.Writer) {
	n := &notices{out: stderr, told: map[string]bool{}}
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{
		func(_ context.Context, err error, message string, _ ...any) {
			if message == discovery {
				return
			}
			if err != nil {
				message = err.Error()
			}
			n.tell(message)
		},
	}
	rest.SetDefaultWarningHandler(n)
}

// The notices are the messages that were written already.
type notices struct {
	mu   sync.Mutex
	out  io.Writer
	told map[string]bool
}

// HandleWarningHeader writes a warning of a server. Like the libraries, it ignores codes other
// than 299.
func (n *notices) HandleWarningHeader(code int, _ string, message string) {
	if code == 299 && message != "" {
		n.tell(message)
	}
}

func (n *notices) tell(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.told[text] {
		n.told[text] = true
		terminal.NewWriter(n.out).Printf("note: %s\n", text)
	}
}
