// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// quick gives up soon. It still refutes most wrong statements, and proves most true ones.
var quick = solver{name: "z3", command: []string{"z3", "-in", "rlimit=400000", "-t:20000"}}

// A jury says which proofs a mutant breaks.
type jury struct {
	from    *source
	sound   *program                   // without a mutant
	reached map[string]map[string]bool // functions, by property or contract
	answers *memory
	efforts map[string]int // that were enough without a mutant
	mutex   sync.Mutex
	broken  map[string]int // how many mutants broke the proof of a function
}

func newJury(t *testing.T) *jury {
	t.Helper()
	from, err := code()
	require.NoError(t, err)
	p := program0(t)
	return &jury{from: from, sound: p, reached: reaches(t, p), answers: newMemory(), efforts: map[string]int{}, broken: map[string]int{}}
}

// prepare proves the affected properties and contracts without mutants: the answers are reused for
// the parts that a mutant does not change.
func (j *jury) prepare(t *testing.T, all []mutant) {
	t.Helper()
	var needed []contract
	var machines []*machine
	for _, c := range j.sound.all() {
		if slices.ContainsFunc(all, func(mu mutant) bool { return j.reached[c.name()][mu.function] }) {
			m, err := j.sound.translate(c, 0)
			require.NoError(t, err)
			needed, machines = append(needed, c), append(machines, m)
		}
	}
	failed := make([]error, len(needed))
	each(len(needed), func(i int) { failed[i] = j.sane(needed[i], machines[i]) })
	for _, err := range failed {
		require.NoError(t, err)
	}
}

func (j *jury) sane(c contract, m *machine) error {
	z3, err := solvers[0].start()
	if err != nil {
		return err
	}
	defer z3.close()
	for _, o := range m.obligations {
		r, err := m.settle(z3, o, 0, j.answers)
		if err != nil {
			return err
		}
		if r.answer != unsatisfiable {
			return fmt.Errorf("%s: %s is not proved without a mutant", c.name(), o.name)
		}
		j.mutex.Lock()
		j.efforts[c.name()+o.name] = r.effort
		j.mutex.Unlock()
	}
	return nil
}

// proved are the functions, by place, that some proof follows.
func (j *jury) proved() map[string]bool {
	all := map[string]bool{}
	for _, of := range j.reached {
		for f := range of {
			all[f] = true
		}
	}
	return all
}

// judge returns the reason why a mutant is found: the compiler, a case in which a property fails,
// or a missing proof.
func (j *jury) judge(mu mutant) (string, error) {
	text, err := os.ReadFile(mu.file)
	if err != nil {
		return "", err
	}
	if !bytes.HasPrefix(text[mu.at:], []byte(mu.old)) {
		return "", fmt.Errorf("%s is not there", mu.name)
	}
	changed := slices.Concat(text[:mu.at], []byte(mu.by), text[mu.at+len(mu.old):])
	p, err := j.from.program(map[string][]byte{mu.file: changed})
	if err != nil {
		return "compiler", nil
	}
	hasty, err := quick.start()
	if err != nil {
		return "", err
	}
	defer hasty.close()
	for _, c := range j.ordered(p, mu) {
		what, err := j.open(p, c, hasty)
		if err != nil {
			return "", err
		}
		if what != "" {
			j.mutex.Lock()
			j.broken[c.name()]++
			j.mutex.Unlock()
			return what, nil
		}
	}
	return "nothing", nil
}

// ordered lists the properties and contracts whose proof follows the mutant, the ones that other
// mutants broke most often first.
func (j *jury) ordered(p *program, mu mutant) []contract {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	all := slices.DeleteFunc(p.all(), func(c contract) bool { return !j.reached[c.name()][mu.function] })
	slices.SortStableFunc(all, func(a, b contract) int { return j.broken[b.name()] - j.broken[a.name()] })
	return all
}

// open returns the part of a function's proof that fails, and why, or "".
func (j *jury) open(p *program, c contract, hasty *session) (string, error) {
	m, err := p.translate(c, 0)
	if err != nil {
		return "translation: " + err.Error(), nil
	}
	var left []obligation
	for _, o := range m.obligations {
		r, err := m.settle(hasty, o, j.efforts[c.name()+o.name], j.answers)
		if err != nil {
			return "", err
		}
		if r.answer != unsatisfiable {
			left = append(left, o)
			break
		}
	}
	if left == nil {
		return "", nil
	}
	if found, err := p.counterexample(hasty, c); err == nil && found != nil {
		return "case: " + c.name() + ": " + found.name, nil
	}
	z3, err := solvers[0].start()
	if err != nil {
		return "", err
	}
	defer z3.close()
	for _, o := range m.obligations {
		r, err := m.settle(z3, o, j.efforts[c.name()+o.name], j.answers)
		if err != nil {
			return "", err
		}
		if r.answer != unsatisfiable {
			return "proof: " + c.name() + ": " + o.name, nil
		}
	}
	return "", nil
}

// equivalent reads which mutants are known to keep all proofs, with the reason.
func equivalent(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/equivalent.tsv")
	require.NoError(t, err)
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 5 && fields[0][0] != '#' {
			all[strings.Join(fields[:4], "\t")] = fields[4]
		}
	}
	return all
}

// Whatever operator is changed in the functions that are proved breaks a proof, or is named as
// equivalent. With KPLAN_MUTANTS=N one of N is judged.
func TestMutants(t *testing.T) {
	of, err := strconv.Atoi(cmp.Or(os.Getenv("KPLAN_MUTANTS"), "0"))
	require.NoError(t, err)
	if of <= 0 {
		t.Skip("set KPLAN_MUTANTS=1; it takes minutes")
	}
	j, known := newJury(t), equivalent(t)
	all := mutants(t, j.sound, j.proved())
	names := map[string]bool{}
	for _, mu := range all {
		names[mu.name] = true
	}
	for name := range known {
		require.True(t, names[name], "no such operator: %s", name)
	}
	only := regexp.MustCompile(os.Getenv("KPLAN_MUTANT"))
	var chosen []mutant
	for i, mu := range all {
		if i%of == 0 && only.MatchString(mu.name) {
			chosen = append(chosen, mu)
		}
	}
	j.prepare(t, chosen)
	how, failed, took := make([]string, len(chosen)), make([]error, len(chosen)), make([]time.Duration, len(chosen))
	each(len(chosen), func(i int) {
		start := time.Now()
		how[i], failed[i] = j.judge(chosen[i])
		took[i] = time.Since(start)
		t.Logf("%s\t%s\t%.1f s", chosen[i].name, how[i], took[i].Seconds())
	})
	counts := map[string]int{}
	for i, mu := range chosen {
		require.NoError(t, failed[i], mu.name)
		kind, _, _ := strings.Cut(how[i], ":")
		counts[kind]++
		switch reason, ok := known[mu.name]; {
		case kind == "nothing" && !ok:
			t.Errorf("%s: no proof is broken", mu.name)
		case kind != "nothing" && ok:
			t.Errorf("%s: %s, so it is not equivalent: %s", mu.name, how[i], reason)
		}
	}
	t.Logf("%d of %d mutants: %v", len(chosen), len(all), counts)
}
