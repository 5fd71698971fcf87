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

// discovery is how the libraries tell that no server answers, which is the error of the command, too.
const discovery = "Couldn't get current server API group list"

// Libraries lets what the libraries of Kubernetes tell of errors and of warnings of servers
// be written as notes, escaped, and each once. By themselves they log it as it is. It is for
// main, since it sets what is global.
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

// Notices are what was told of already.
type notices struct {
	mu   sync.Mutex
	out  io.Writer
	told map[string]bool
}

// HandleWarningHeader tells of a warning of a server, as the libraries do: code 299 alone is
// one for people.
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
