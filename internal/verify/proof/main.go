// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"golang.org/x/tools/go/ssa"
)

func main() {
	only := flag.String("run", "", "prove only functions whose name matches, and the contracts on which they rely")
	planted := flag.Bool("planted", false, "print for each property a bug that breaks it, and a case")
	flag.Parse()
	ok, err := report(regexp.MustCompile(*only), *planted)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// report proves all, and prints the results. It reports whether everything was proved.
func report(only *regexp.Regexp, planted bool) (bool, error) {
	start := time.Now()
	for _, s := range solvers {
		version, err := exec.Command(s.version[0], s.version[1:]...).Output()
		if err != nil {
			return false, fmt.Errorf("%w: install the Debian packages z3 and cvc5", err)
		}
		fmt.Println(strings.SplitN(string(version), "\n", 2)[0])
	}
	from, err := readSource()
	if err != nil {
		return false, err
	}
	p, err := from.program(nil)
	if err != nil {
		return false, err
	}
	proofs, err := p.proveAll(only)
	if err != nil {
		return false, err
	}
	ok := show("PROPERTY", p.properties, proofs)
	ok = show("CONTRACT OF A FUNCTION", p.contracts, proofs) && ok
	if planted {
		broken, err := from.showBroken(p, only)
		if err != nil {
			return false, err
		}
		ok = ok && broken
	}
	properties, contracts := count(p.properties, proofs), count(p.contracts, proofs)
	fmt.Printf("\n%d properties and %d contracts in %s\n", properties, contracts, time.Since(start).Round(time.Second))
	if properties+contracts == 0 {
		return false, fmt.Errorf("nothing matches %q", only)
	}
	return ok, nil
}

// count returns how many functions have something to prove.
func count(of []contract, proofs map[*ssa.Function]proof) (n int) {
	for _, c := range of {
		if _, ran := proofs[c.function]; ran {
			n++
		}
	}
	return n
}

// proveAll proves all functions that match, and the contracts that these proofs need,
// several at once.
func (p *program) proveAll(only *regexp.Regexp) (map[*ssa.Function]proof, error) {
	proofs, err := p.needed(only)
	if err != nil {
		return nil, err
	}
	failed := make([]error, len(proofs))
	each(len(proofs), func(i int) { failed[i] = proofs[i].machine.discharge(&proofs[i]) })
	byFunction := map[*ssa.Function]proof{}
	for _, r := range proofs {
		byFunction[r.function] = r
	}
	return byFunction, errors.Join(failed...)
}

// needed translates all functions that match, and the ones whose contracts a translated
// function needs. It does so one after the other, since they share the parsed loops.
func (p *program) needed(only *regexp.Regexp) (proofs []proof, err error) {
	relied := map[string]bool{}
	for rest, found := p.all(), -1; err == nil && found < len(proofs); {
		found = len(proofs)
		rest = slices.DeleteFunc(rest, func(c contract) bool {
			if err != nil || !only.MatchString(c.name()) && !relied[c.name()] {
				return false
			}
			var m *machine
			if m, err = p.translate(c, 0); err != nil {
				return false
			}
			for f := range m.uses {
				relied[contract{function: f}.name()] = true
			}
			proofs = append(proofs, proof{c, m, map[string][]result{}, map[string]time.Duration{}})
			return true
		})
	}
	return proofs, err
}

// each runs tasks, as many at once as there are processors.
func each(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// showBroken prints the planted bug of each property, and the case that a solver finds in
// which it breaks the property.
func (s *source) showBroken(p *program, only *regexp.Regexp) (bool, error) {
	all := slices.DeleteFunc(slices.Clone(p.properties), func(c contract) bool { return !only.MatchString(c.name()) })
	found, failed := make([]*counterexample, len(all)), make([]error, len(all))
	each(len(all), func(i int) { found[i], failed[i] = s.broken(all[i].name()) })
	fmt.Println("\nBROKEN BY")
	for i, c := range all {
		if failed[i] == nil {
			fmt.Printf("%s\n\t%v\n\t%s: %s\n", c.name(), planted[c.name()], found[i].name, found[i].numbers())
		}
	}
	return errors.Join(failed...) == nil, errors.Join(failed...)
}

// show prints the results for some functions.
func show(title string, of []contract, proofs map[*ssa.Function]proof) bool {
	ok := true
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\n%s\tSTEPS\tZ3\tCVC5\t\n", title)
	var open []string
	for _, c := range of {
		p, proved := proofs[c.function]
		if !proved {
			continue
		}
		fmt.Fprintf(out, "%s\t%d", c.name(), len(p.machine.obligations))
		for _, s := range solvers {
			text := fmt.Sprintf("%.2f s", p.took[s.name].Seconds())
			if left := p.open(s); len(left) > 0 {
				ok, text = false, "NOT PROVED"
				for _, r := range left {
					open = append(open, fmt.Sprintf("%s: %s: %s: %s", s.name, r.at, r.name, r.answer))
				}
			}
			fmt.Fprintf(out, "\t%s", text)
		}
		fmt.Fprintf(out, "\t\n")
	}
	out.Flush()
	for _, line := range open {
		fmt.Println(line)
	}
	return ok
}
