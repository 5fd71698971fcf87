// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
)

// Produced are the constants that the plans of the tests of a package have had, by type and
// text. The zero Produced is none.
type Produced struct {
	mu        sync.Mutex
	constants map[[2]string]bool
}

// Note notes the texts in the parts of a plan that have a type of their own, at any depth.
func (p *Produced) Note(parts ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.constants == nil {
		p.constants = map[[2]string]bool{}
	}
	for _, part := range parts {
		p.note(reflect.ValueOf(part))
	}
}

func (p *Produced) note(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if name := v.Type().Name(); name != "string" {
			p.constants[[2]string{name, v.String()}] = true
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			p.note(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			p.note(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				p.note(v.Field(i))
			}
		}
	}
}

// missing returns the names of the constants of some types of the package in a folder that
// nothing has had.
func (p *Produced) missing(t T, folder string, types ...string) (names []string) {
	for _, of := range types {
		for name, text := range Constants(t, folder, of) {
			if !p.constants[[2]string{of, text}] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Main runs the tests of a package, for its TestMain. If all were to run, and have passed,
// it fails unless each constant of some types was noted.
func (p *Produced) Main(m *testing.M, types ...string) {
	code := m.Run()
	some := slices.ContainsFunc([]string{"run", "skip", "list", "fuzz"}, func(name string) bool {
		return flag.Lookup("test."+name).Value.String() != ""
	})
	if code == 0 && !some && !testing.Short() {
		if names := p.missing(exit{}, ".", types...); len(names) > 0 {
			exit{}.Fatalf("no test has a plan with %v", names)
		}
	}
	os.Exit(code)
}

// exit is what a check outside of a test fails.
type exit struct{}

func (exit) Helper() {}

func (exit) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}
