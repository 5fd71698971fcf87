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

// progressAfter is how long something takes before it is told of. Tests have less patience.
var progressAfter = 500 * time.Millisecond

// progressEvery is how often the line is drawn anew.
const progressEvery = 100 * time.Millisecond

// A progress is a terminal for errors whose last line tells what the command is doing, while that
// takes long. Whatever else is written takes its place. A nil one tells nothing.
type progress struct {
	out     *os.File
	mutex   sync.Mutex
	text    string // what is being done, "" for nothing
	since   time.Time
	shown   bool
	stopped chan struct{}
}

// newProgress returns one for a terminal, or nil: files and pipes get nothing that is not asked
// for.
func newProgress(stderr io.Writer) *progress {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	p := &progress{out: f, stopped: make(chan struct{})}
	go p.tell()
	return p
}

// progressOf returns that of a command, or nil.
func progressOf(c *cobra.Command) *progress {
	p, _ := c.ErrOrStderr().(*progress)
	return p
}

// doing says what the command begins to do. The values are escaped. What goes on under the same
// name has begun when that did.
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

// reading tells how far files have been read.
func (p *progress) reading(file string, objects int) {
	p.doing("reading %s, %d objects", file, objects)
}

// done says that nothing takes long any more, and clears the line.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.text = ""
	p.clear()
}

// end is done for ever.
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

// clear empties the line. The mutex is held.
func (p *progress) clear() {
	if p.shown {
		_, _ = io.WriteString(p.out, "\r\x1b[K") // whoever cannot be told is not told
		p.shown = false
	}
}

// tell draws the line anew until the end.
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
		text = terminal.Cut(text, columns-1) // a line that goes on in the next could not be cleared
	}
	_, _ = io.WriteString(p.out, "\r\x1b[K"+text) // as above
	p.shown = true
}
