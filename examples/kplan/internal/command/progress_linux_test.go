// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// line returns what stands in the last line of a screen that is not empty.
func (s *tty) line() string {
	lines, _ := s.lines()
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// told waits until the last line of the screen begins so.
func (s *tty) told(t *testing.T, text string) {
	t.Helper()
	require.True(t, waitFor(func() bool { return strings.HasPrefix(s.line(), text) }), s.line())
}

// ended waits for the exit code.
func endsWell(t *testing.T, code <-chan int) {
	t.Helper()
	select {
	case got := <-code:
		require.Zero(t, got)
	case <-time.After(waitTimeout):
		t.Fatal("it goes on")
	}
}

// slowly reads a text, and then waits.
type slowly struct {
	io.Reader
	goOn <-chan struct{}
}

func (s slowly) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil {
		<-s.goOn
	}
	return n, err
}

// TestProgressOfReading: a terminal is told of what takes long, in one line that is gone at the
// end, and a file is not.
func TestProgressOfReading(t *testing.T) {
	manifest, err := os.ReadFile(data + "echoserver-v1.yaml")
	require.NoError(t, err)
	screen, goOn, code := newTTY(t, 30, 10), make(chan struct{}), make(chan int, 1)
	var stdout bytes.Buffer
	go func() {
		code <- Execute([]string{"kplan", "simulate", "-f", "-"}, slowly{bytes.NewReader(manifest), goOn}, &stdout, screen.File)
	}()
	screen.told(t, "reading standard input, 2 ob…")
	close(goOn)
	endsWell(t, code)
	require.True(t, waitFor(func() bool { return !strings.Contains(screen.line(), "reading") }))
	require.Contains(t, stdout.String(), "Complete after ")
	require.NotContains(t, stdout.String(), "reading")
	stderr := notesOf(t, manifest)
	require.NotContains(t, stderr, "reading")
	require.NotContains(t, stderr, "\x1b")
}

// notesOf returns what a slow command writes to something that is no terminal.
func notesOf(t *testing.T, manifest []byte) string {
	goOn := make(chan struct{})
	time.AfterFunc(2*progressAfter, func() { close(goOn) })
	var stdout, stderr bytes.Buffer
	require.Zero(t, Execute([]string{"kplan", "simulate", "-f", "-"}, slowly{bytes.NewReader(manifest), goOn}, &stdout, &stderr))
	return stderr.String()
}

// TestProgressOfSimulating: a long simulation is told of on the terminal that then shows the
// answer, without a rest of it.
func TestProgressOfSimulating(t *testing.T) {
	v1, err := os.ReadFile(data + "echoserver-v1.yaml")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(file, bytes.Replace(v1, []byte("replicas: 6"), []byte("replicas: 20000"), 1), 0o600))
	patient := progressAfter
	progressAfter = 0 // machines differ in how long it takes
	t.Cleanup(func() { progressAfter = patient })
	screen, code := newTTY(t, 80, 40), make(chan int, 1)
	go func() {
		code <- Execute([]string{"kplan", "simulate", "-f", file, "--jitter", "5m", "-o", "name"}, nil, screen.File, screen.File)
	}()
	screen.told(t, "simulating Deployment \"echoserver\", ")
	endsWell(t, code)
	screen.told(t, "deployment.apps/echoserver")
	lines, _ := screen.lines()
	require.NotContains(t, strings.Join(lines, "\n"), "simulating")
}

// TestProgressOfTheCluster: so it is with a cluster that is slow to answer.
func TestProgressOfTheCluster(t *testing.T) {
	for _, args := range [][]string{
		at("explain", "deployment/web"), {"simulate", "-f", filepath.Join(live, "finished.yaml"), "--live"},
	} {
		s, flags := newAPIServer(t, filepath.Join(live, "finished.yaml"))
		screen, code := newTTY(t, 80, 40), make(chan int, 1)
		s.mutex.Lock()
		var stdout bytes.Buffer
		go func() {
			code <- Execute(append(append([]string{"kplan"}, args...), flags...), nil, &stdout, screen.File)
		}()
		ok := waitFor(func() bool { return strings.HasPrefix(screen.line(), "reading the cluster, ") })
		s.mutex.Unlock()
		require.True(t, ok, screen.line())
		endsWell(t, code)
		require.True(t, waitFor(func() bool { return screen.line() == "" || strings.HasPrefix(screen.line(), "note: ") }), args)
	}
}
