//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A baseline is what the tests of a package need without a mutant.
type baseline struct {
	Limit int    // seconds of the processor after which tests with a mutant do not end
	Slow  string // pattern for the tests that take long
}

func readBaseline(dir, name string) (b baseline, err error) {
	text, err := os.ReadFile(filepath.Join(dir, name+".baseline"))
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(text, &b)
}

// measure runs the tests of a prepared package. If they failed without a mutant, they
// would kill every mutant.
func (s setup) measure(name string) error {
	cmd := exec.Command(s.binary(name), append([]string{"-test.v"}, s.flags...)...)
	cmd.Dir = filepath.Join(s.source, name)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s without a mutant: %w\n%s", name, err, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	text, err := json.Marshal(baseline{2 + int(math.Ceil(4*used.Seconds())), slowest(string(out))})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, name+".baseline"), text, 0o666)
}

// slowest returns a pattern for the tests that take more than a twentieth of the
// time, from their verbose output.
func slowest(output string) string {
	var total float64
	times := map[string]float64{}
	for line := range strings.Lines(output) {
		var name string
		var seconds float64
		if n, _ := fmt.Sscanf(line, "--- PASS: %s (%fs)", &name, &seconds); n == 2 {
			times[name] = seconds
			total += seconds
		}
	}
	var slow []string
	for name, seconds := range times {
		if seconds > total/20 {
			slow = append(slow, name)
		}
	}
	if slow == nil {
		return ""
	}
	slices.Sort(slow)
	return "^(" + strings.Join(slow, "|") + ")$"
}
