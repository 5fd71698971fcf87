// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A tty is a pseudo-terminal, and what people would see on it.
type tty struct {
	*os.File // the side of the program
	mutex    sync.Mutex
	cells    [][]rune
	row, at  int
	scrolled int // lines that have left the screen
}

// newTTY returns a terminal of a size, which draws what is written to it.
func newTTY(t *testing.T, columns, lines int) *tty {
	t.Helper()
	outer, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("the system has no pseudo-terminals: ", err)
	}
	number, err := unix.IoctlGetInt(int(outer.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(outer.Fd()), unix.TIOCSPTLCK, 0))
	inner, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(inner.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(lines), Col: uint16(columns)}))
	s := &tty{File: inner, cells: make([][]rune, lines)}
	for i := range s.cells {
		s.cells[i] = blanks(columns)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.read(outer)
	}()
	t.Cleanup(func() {
		_ = inner.Close()
		select {
		case <-done: // the other side has ended
		case <-time.After(waitTimeout):
		}
		_ = outer.Close()
	})
	return s
}

// resize gives the window another size, and tells the program so, as the terminal that it runs in
// would. What was there is lost.
func (s *tty) resize(t *testing.T, columns, lines int) {
	t.Helper()
	s.mutex.Lock()
	s.cells, s.row, s.at, s.scrolled = make([][]rune, lines), 0, 0, 0
	for i := range s.cells {
		s.cells[i] = blanks(columns)
	}
	require.NoError(t, unix.IoctlSetWinsize(int(s.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(lines), Col: uint16(columns)}))
	s.mutex.Unlock()
	require.NoError(t, unix.Kill(os.Getpid(), unix.SIGWINCH))
}

func blanks(n int) []rune { return []rune(strings.Repeat(" ", n)) }

// read draws until the other side is closed.
func (s *tty) read(from *os.File) {
	var rest []byte
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		rest = append(rest, buffer[:n]...)
		s.mutex.Lock()
		for used := 1; used > 0; rest = rest[used:] {
			used = s.next(rest)
		}
		s.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

// next draws the first character or sequence, and returns how long it is; 0 if it has not
// ended yet.
func (s *tty) next(text []byte) int {
	if len(text) == 0 || !utf8.FullRune(text) {
		return 0
	}
	r, size := utf8.DecodeRune(text)
	switch r {
	case '\r':
		s.at = 0
	case '\n':
		s.down()
	case '\x1b':
		end := strings.IndexAny(string(text), "HJKm")
		if end < 0 {
			return 0
		}
		s.sequence(text[end])
		return end + 1
	default:
		if s.at == len(s.cells[s.row]) {
			s.at = 0
			s.down()
		}
		s.cells[s.row][s.at] = r
		s.at++
	}
	return size
}

func (s *tty) down() {
	if s.row++; s.row == len(s.cells) {
		s.row--
		s.scrolled++
		s.cells = append(s.cells[1:], blanks(len(s.cells[0])))
	}
}

// sequence does one without numbers: home, or erase the rest of the line or the screen. Colours
// are not seen here.
func (s *tty) sequence(kind byte) {
	switch kind {
	case 'H':
		s.row, s.at = 0, 0
	case 'K', 'J':
		copy(s.cells[s.row][s.at:], blanks(len(s.cells[0])))
		for i := s.row + 1; kind == 'J' && i < len(s.cells); i++ {
			s.cells[i] = blanks(len(s.cells[i]))
		}
	}
}

// lines returns what is on the screen, and how much has scrolled away.
func (s *tty) lines() ([]string, int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	lines := make([]string, len(s.cells))
	for i, line := range s.cells {
		lines[i] = strings.TrimRight(string(line), " ")
	}
	return lines, s.scrolled
}

// shows reports whether the first line begins so and others are there.
func (s *tty) shows(headline string, others ...string) func() bool {
	return func() bool {
		lines, scrolled := s.lines()
		all := strings.Join(lines, "\n") + "\n"
		for _, other := range others {
			if !strings.Contains(all, "\n"+other) {
				return false
			}
		}
		return scrolled == 0 && strings.HasPrefix(lines[0], headline)
	}
}

// TestWatchTerminal: on a terminal of the usual size a watched rollout shows its headline and
// its table all the time, until it is complete.
func TestWatchTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"))
	screen := newTTY(t, 80, 24)
	code := make(chan int, 1)
	args := append([]string{"kplan"}, append(at("explain", "deployment/web", "--watch"), flags...)...)
	go func() { code <- Execute(args, nil, screen.File, screen.File) }()
	show := func(condition func() bool) {
		t.Helper()
		if !waitFor(condition) {
			lines, _ := screen.lines()
			t.Fatal(strings.Join(lines, "\n"))
		}
	}
	const table = "NAME               REVISION  WANTED  PODS  READY  AVAIL  IMAGES"
	show(screen.shows("Deployment default/web is progressing.", table, "├─ web-86dd985b8b  2, new", "POD THAT DOES NOT SERVE", "… "))
	s.replace(t, filepath.Join(live, "saturated.yaml"))
	show(screen.shows("Deployment default/web is waiting.", table, "└─ web-"))
	s.replace(t, filepath.Join(live, "finished.yaml"))
	select {
	case got := <-code:
		require.Zero(t, got)
	case <-time.After(waitTimeout):
		t.Fatal("it goes on")
	}
	show(screen.shows("Deployment default/web is complete.", "NAME "))
	lines, _ := screen.lines()
	require.Equal(t, "Deployment default/web is complete. All 10 pods are new and available.", lines[0], "nothing is left of what was there")
	require.NotContains(t, strings.Join(lines, "\n"), "waiting")
}

// TestWatchResized: a window that gets another size is drawn anew at once, and as large as it is:
// narrower and lower, and as before.
func TestWatchResized(t *testing.T) {
	t.Setenv("TERM", "xterm")
	usual := redrawAfter
	redrawAfter = time.Hour // or it could be drawn anew by chance
	t.Cleanup(func() { redrawAfter = usual })
	s, flags := newAPIServer(t, filepath.Join(live, "saturated.yaml"))
	screen := newTTY(t, 80, 24)
	code := make(chan int, 1)
	args := append([]string{"kplan"}, append(at("explain", "deployment/web", "--watch"), flags...)...)
	go func() { code <- Execute(args, nil, screen.File, screen.File) }()
	require.True(t, waitFor(screen.shows("Deployment default/web is waiting.", "NAME ")))
	before, _ := screen.lines()
	screen.resize(t, 60, 12)
	require.True(t, waitFor(screen.shows("Deployment default/web is waiting.", "… ")))
	for range 2 { // the second has the size of the first, and what was there is lost all the same
		screen.resize(t, 80, 24)
		require.True(t, waitFor(func() bool { after, _ := screen.lines(); return slices.Equal(before, after) }))
	}
	s.replace(t, filepath.Join(live, "finished.yaml"))
	endsWell(t, code)
}

func waitFor(condition func() bool) bool {
	for end := time.Now().Add(waitTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// TestWatchEnds: what is stuck, and time that is over, end a watch with an exit code.
func TestWatchEnds(t *testing.T) {
	_, flags := newAPIServer(t, filepath.Join(live, "deadline-exceeded.yaml"))
	code, stdout, stderr := run(nil, append(at("explain", "deployment/web", "-w"), flags...)...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "Deployment default/web is stuck. ")
	require.Equal(t, "error: deployment.apps/web is stuck\n", stderr)

	s, flags := newAPIServer(t, filepath.Join(live, "saturated.yaml"))
	for _, timeout := range []string{"300ms", "3s", "30s"} { // machines differ in how long it takes to look at all
		code, stdout, stderr = run(nil, append(at("plan", "deployment/web", "-w", "--timeout", timeout), flags...)...)
		require.Equal(t, exitTimeout, code)
		require.Equal(t, "error: not complete after "+timeout+"\n", stderr)
		if stdout != "" {
			break
		}
	}
	require.Contains(t, stdout, "Nothing to do at the moment.")

	s.replace(t, filepath.Join(live, "finished.yaml"))
	code, _, stderr = run(nil, append(at("plan", "deployment/web", "-w", "--timeout", "1m"), flags...)...)
	require.Zero(t, code, stderr)
	code, _, _ = run(nil, append(at("history", "deployment/web", "-w", "--timeout", "300ms"), flags...)...)
	require.Equal(t, exitTimeout, code, "a history is never complete")
	code, _, stderr = run(nil, append([]string{"plan", "deployment/web", "--timeout", "1m"}, flags...)...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--timeout needs --watch")
}

// TestWatchInterrupted: whoever interrupts a watch has not seen the end of the rollout.
func TestWatchInterrupted(t *testing.T) {
	_, flags := newAPIServer(t, filepath.Join(live, "saturated.yaml"))
	screen := newTTY(t, 80, 24)
	code := make(chan int, 1)
	go func() {
		code <- Execute(append([]string{"kplan"}, append(at("explain", "deployment/web", "-w"), flags...)...), nil, screen.File, screen.File)
	}()
	require.True(t, waitFor(screen.shows("Deployment default/web is waiting.")))
	require.NoError(t, unix.Kill(os.Getpid(), unix.SIGINT))
	require.Equal(t, exitInterrupted, <-code)
}
