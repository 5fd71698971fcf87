package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/tools/go/ssa"
)

func main() {
	only := flag.String("run", "", "prove only functions whose name matches")
	flag.Parse()
	ok, err := report(regexp.MustCompile(*only))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// report proves all, and prints what was proved. It reports whether that was everything.
func report(only *regexp.Regexp) (bool, error) {
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
	fmt.Printf("\n%s\n", time.Since(start).Round(time.Second))
	return ok, nil
}

// proveAll proves all functions that match, with both solvers at once.
func (p *program) proveAll(only *regexp.Regexp) (map[*ssa.Function]proof, error) {
	var all []contract
	for _, c := range p.all() {
		if only.MatchString(c.name()) {
			all = append(all, c)
		}
	}
	proofs := make([]proof, len(all))
	for i, c := range all {
		proofs[i] = proof{contract: c, results: map[string][]result{}, took: map[string]time.Duration{}}
	}
	var lock sync.Mutex // of proofs
	var tasks sync.WaitGroup
	var failed error
	for _, s := range solvers {
		machines := make([]*machine, len(all)) // of its own, since a machine makes terms as it asks
		for i, c := range all {
			var err error
			if machines[i], err = p.translate(c, 0); err != nil {
				return nil, err
			}
			proofs[i].machine = machines[i]
		}
		tasks.Go(func() {
			for i, m := range machines {
				results, took, err := m.discharge(s, nil)
				lock.Lock()
				proofs[i].results[s.name], proofs[i].took[s.name] = results, took
				failed = errors.Join(failed, err)
				lock.Unlock()
			}
		})
	}
	tasks.Wait()
	byFunction := map[*ssa.Function]proof{}
	for _, r := range proofs {
		byFunction[r.function] = r
	}
	return byFunction, failed
}

// show prints what was proved of some functions, and what was not.
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
