//go:build unix

// Command mutation stands in for the go command while gremlins runs, so that the
// run ends within minutes and its report says what happened. It is first in PATH
// under the name go, and differs from the go command in two places:
//
//   - "go test -coverprofile": Go's profile has no block for some expressions, see
//     widen; they are added if they ran.
//   - "go test" of a package that was prepared: the mutant is looked up in a binary
//     that holds all mutants of the package, see schema. A mutant that it does not
//     hold is compiled, and one that does not compile is reported as such (the go
//     command would report a failed test, and the mutant would count as killed).
//
// Everything else goes to the go command.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A setup is what the script run tells through the environment.
type setup struct {
	golang string   // the go command
	source string   // the module as it is without mutants
	dir    string   // prepared packages
	flags  []string // for test binaries
}

func environment() setup {
	return setup{
		golang: os.Getenv("MUTATION_GO"),
		source: os.Getenv("MUTATION_SOURCE"),
		dir:    os.Getenv("MUTATION_DIR"),
		flags:  strings.Fields(os.Getenv("MUTATION_FLAGS")),
	}
}

func main() {
	code, err := environment().main(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
	}
	os.Exit(code)
}

// Exit codes as gremlins reads them.
const (
	passed    = 0
	failed    = 1
	notViable = 2
)

func (s setup) main(args []string) (int, error) {
	if len(args) == 2 && args[0] == "prepare" {
		return code(s.prepare(args[1]))
	}
	if len(args) > 0 && args[0] == "test" {
		if i := slices.Index(args, "-coverprofile"); i >= 0 {
			return code(s.cover(args, args[i+1]))
		}
		if i := slices.Index(args, "-timeout"); i >= 0 {
			return s.test(args[len(args)-1], args[i+1])
		}
	}
	return code(s.run(".", s.golang, args...))
}

func code(err error) (int, error) {
	if err != nil {
		return failed, err
	}
	return passed, nil
}

func (s setup) run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	return cmd.Run()
}

// cover counts how often each block ran, which widen needs, where gremlins asked
// only whether it did.
func (s setup) cover(args []string, profile string) error {
	args = append([]string{"test", "-covermode=count"}, args[1:]...)
	if err := s.run(".", s.golang, append(args, s.flags...)...); err != nil {
		return err
	}
	return widenFile(profile, s.source)
}

// test judges the mutant that is in the working directory, which is the package's
// folder in a copy of the module.
func (s setup) test(pkg, timeout string) (int, error) {
	name := filepath.Base(pkg)
	table, err := readTable(s.dir, name)
	if err != nil {
		return notViable, err
	}
	key, err := mutated(filepath.Join(s.source, name), ".")
	if err != nil {
		return notViable, err
	}
	if id, ok := table[key]; ok && id == doesNotCompile {
		return notViable, nil
	} else if ok {
		return s.judge(name, s.binary(name), id, timeout)
	}
	tmp, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return notViable, err
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "test")
	if err := s.run(".", s.golang, "test", "-vet=off", "-c", "-o", binary, "."); err != nil {
		return notViable, err
	}
	return s.judge(name, binary, 0, timeout)
}

func (s setup) binary(name string) string { return filepath.Join(s.dir, name+".test") }

// judge runs the tests with a mutant, the slow ones last. Examples come after all of
// them, because they run even if a test failed before, and may wait for an end that
// the mutant does not reach.
func (s setup) judge(name, binary string, id int, timeout string) (int, error) {
	b, err := readBaseline(s.dir, name)
	if err != nil {
		return notViable, err
	}
	tests, rest := []string{"-test.run=^(Test|Fuzz)"}, [][]string{{"-test.run=^Example"}}
	if b.Slow != "" {
		tests, rest = append(tests, "-test.skip="+b.Slow), append([][]string{{"-test.run=" + b.Slow}}, rest...)
	}
	common := append([]string{binary, "-test.failfast", "-test.timeout=" + timeout}, s.flags...)
	for _, chosen := range append([][]string{tests}, rest...) {
		if code, err := s.verdict(b.Limit, id, slices.Concat(common, chosen)); code != passed || err != nil {
			return code, err
		}
	}
	return passed, nil
}

// verdict runs tests within a limit of seconds of the processor: the clock says
// little on a busy machine. Tests that a signal ended used it up. That is a timeout
// and no failure, which gremlins has to see itself, so this waits until it does.
func (s setup) verdict(limit, id int, command []string) (int, error) {
	release, err := s.slot()
	if err != nil {
		return notViable, err
	}
	limited := []string{"-c", `ulimit -t "$1" && shift && exec "$@"`, "sh", strconv.Itoa(limit)}
	cmd := exec.Command("sh", append(limited, command...)...)
	cmd.Env = append(os.Environ(), variable+"="+strconv.Itoa(id))
	err = cmd.Run()
	release()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return passed, nil
	case !errors.As(err, &exit):
		return notViable, err
	case !exit.Exited():
		time.Sleep(time.Hour)
	}
	return failed, nil
}

// slot waits until one of two slots is free, so that gremlins may have more workers
// than that: one that waits for a timeout does no work.
func (s setup) slot() (release func(), err error) {
	for i := 0; ; i = 1 - i {
		f, err := os.OpenFile(filepath.Join(s.dir, "slot"+strconv.Itoa(i)), os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, err
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			return func() { f.Close() }, nil
		}
		f.Close()
		time.Sleep(20 * time.Millisecond)
	}
}
