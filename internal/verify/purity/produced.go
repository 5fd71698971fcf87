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

// Produced collects the constants in the plans of a package's tests, by type and text. The zero
// Produced is empty.
type Produced struct {
	mu        sync.Mutex
	constants map[[2]string]bool
}

// Note records the strings of named types in the parts of a plan, at any depth.
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

// missing returns the names of the constants of some types that were never recorded, of the package
// in a folder.
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

// Main runs the tests of a package, for its TestMain. If all tests ran and passed, it fails unless
// each constant of these types was recorded.
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

// exit is the T of a check outside of a test: it ends the process.
type exit struct{}

func (exit) Helper() {}

func (exit) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}
