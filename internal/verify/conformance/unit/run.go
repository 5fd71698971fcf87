// SPDX-License-Identifier: Apache-2.0

package unit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A Run is the result of upstream's top-level tests. The keys are the folder of the package and the
// name of the test: controller/deployment/TestScale.
type Run struct {
	Passed, Failed, Skipped map[string]bool
	Ours                    map[string]int // number of calls of our functions
	Output                  map[string]string
	Other                   string // output of no test, such as an error of the compiler
}

// module makes the temporary module. It has the requirements of module conformance, and replaces
// our modules by folders of the checkout.
func module(conformance, folder string) error {
	text, err := os.ReadFile(filepath.Join(conformance, "go.mod"))
	if err != nil {
		return err
	}
	mod := strings.Replace(string(text), "module github.com/kplan-go/kplan/internal/verify/conformance", "module kplan.test/unit", 1)
	for _, path := range []string{"../../../kube", "../../.."} {
		mod = strings.ReplaceAll(mod, "=> "+path+"\n", "=> "+filepath.Join(conformance, path)+"\n")
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(mod), 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(conformance, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "go.sum"), sum, 0o644)
}

// goCommand returns a go command outside of any workspace.
func goCommand(folder string, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK=off")
	return c
}

// Prepare makes the module in a folder. conformance is the folder of module conformance.
func Prepare(conformance, folder string) error {
	list := goCommand(conformance, "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
	list.Stderr = os.Stderr
	dir, err := list.Output()
	if err != nil {
		return err
	}
	source := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "controller")
	if err := module(conformance, folder); err != nil {
		return err
	}
	return copied{source, filepath.Join(conformance, "unit", "testdata", "shim"), folder}.write()
}

// Test runs the tests of a prepared module. args are arguments of go test.
func Test(folder string, args ...string) (*Run, error) {
	return read(goCommand(folder, append([]string{"test", "-json", "-vet=off", "-count=1"}, args...)...))
}

// program returns the path of the test binary of a package.
func program(folder, pkg string) string {
	return filepath.Join(folder, strings.ReplaceAll(path.Join("controller", pkg), "/", "-")+".test")
}

// run runs the test binary of one package, with an additional environment variable.
func run(folder, programs, pkg, env string) (*Run, error) {
	c := goCommand(folder, "tool", "test2json", "-p", path.Join(copyPath, pkg), program(programs, pkg), "-test.v=test2json")
	c.Dir = filepath.Join(folder, "controller", pkg)
	c.Env = append(c.Env, env)
	return read(c)
}

// read runs a command that prints the events of go test -json.
func read(c *exec.Cmd) (*Run, error) {
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	r := &Run{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}, map[string]string{}, errs.String()}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%w: %s", err, lines.Bytes())
		}
		r.take(e)
	}
	return r, lines.Err()
}

type event struct{ Action, Package, Test, Output string }

func (r *Run) take(e event) {
	if e.Test == "" {
		if e.Action == "output" || e.Action == "build-output" {
			r.Other += e.Output
		}
		return
	}
	top, _, sub := strings.Cut(e.Test, "/")
	test := path.Join(strings.TrimPrefix(e.Package, path.Dir(copyPath)+"/"), top)
	switch e.Action {
	case "output":
		if what, marked := strings.CutPrefix(e.Output, mark); marked && what != "" {
			r.Ours[test]++
			return
		}
		r.Output[test] += e.Output
	case "pass":
		r.Passed[test] = r.Passed[test] || !sub
	case "fail":
		r.Failed[test] = true
	case "skip":
		r.Skipped[test] = r.Skipped[test] || !sub
	}
}
