// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// progressAfter is the time until progress is shown. Tests set a shorter one.
var progressAfter = 500 * time.Millisecond

// progressEvery is the time between two updates of the line.
const progressEvery = 100 * time.Millisecond

// A progress is a terminal for errors. Its last line shows the current activity of the command if
// that takes long, and any other output replaces the line. A nil progress shows nothing.
type progress struct {
	out     *os.File
	mutex   sync.Mutex
	text    string // the activity, "" if there is none
	since   time.Time
	shown   bool
	stopped chan struct{}
}

// newProgress returns a progress for a terminal, nil for files and pipes.
func newProgress(stderr io.Writer) *progress {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	p := &progress{out: f, stopped: make(chan struct{})}
	go p.tell()
	return p
}

// progressOf returns the progress of a command, or nil.
func progressOf(c *cobra.Command) *progress {
	p, _ := c.ErrOrStderr().(*progress)
	return p
}

// doing sets the activity. The values are escaped. The time of the first activity counts until
// done.
func (p *progress) doing(format string, values ...any) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.text == "" {
		p.since = time.Now()
	}
	p.text = terminal.Sprintf(format, values...)
}

// reading sets the activity to reading a file, with the number of objects so far.
func (p *progress) reading(file string, objects int) {
	p.doing("reading %s, %d objects", file, objects)
}

// done ends the activity and clears the line.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.text = ""
	p.clear()
}

// end ends the activity and stops updates of the line.
func (p *progress) end() {
	if p != nil {
		p.done()
		close(p.stopped)
	}
}

// Write writes a message in place of the line.
func (p *progress) Write(text []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.clear()
	return p.out.Write(text)
}

// clear clears the line. The caller holds the mutex.
func (p *progress) clear() {
	if p.shown {
		_, _ = io.WriteString(p.out, "\r\x1b[K") // nothing to do about errors of the terminal
		p.shown = false
	}
}

// tell updates the line until the end.
func (p *progress) tell() {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.stopped:
			return
		case <-ticker.C:
			p.draw()
		}
	}
}

func (p *progress) draw() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	passed := time.Since(p.since)
	if p.text == "" || passed < progressAfter {
		return
	}
	text := fmt.Sprintf("%s, %.0f s", p.text, passed.Seconds())
	if columns, _, err := term.GetSize(int(p.out.Fd())); err == nil && columns > 1 {
		text = terminal.Cut(text, columns-1) // clear works only for a single line
	}
	_, _ = io.WriteString(p.out, "\r\x1b[K"+text) // as above
	p.shown = true
}
