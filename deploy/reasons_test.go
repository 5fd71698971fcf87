package deploy_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/purity"
)

// produced are the reasons that the plans of all tables have given.
var produced = struct {
	sync.Mutex
	reasons map[string]bool
}{reasons: map[string]bool{}}

func produce(p deploy.Plan) {
	produced.Lock()
	defer produced.Unlock()
	for _, a := range p.Actions {
		produced.reasons[reflect.ValueOf(a).FieldByName("Reason").String()] = true
	}
	for _, h := range p.Holds {
		produced.reasons[string(h.Reason)] = true
	}
}

// A failure is what a check outside of a test says.
type failure struct{}

func (failure) Helper() {}
func (failure) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}

// TestMain asks, when all tests have run, that each reason of the package has a case in
// one of them.
func TestMain(m *testing.M) {
	code := m.Run()
	some := slices.ContainsFunc([]string{"run", "skip", "list", "fuzz"}, func(name string) bool {
		return flag.Lookup("test."+name).Value.String() != ""
	})
	if !some && code == 0 && !testing.Short() {
		var missing []string
		for name, text := range purity.Constants(failure{}, ".", "Reason") {
			if !produced.reasons[text] {
				missing = append(missing, name)
			}
		}
		if slices.Sort(missing); len(missing) > 0 {
			fmt.Println("no case of a table produces", missing)
			code = 1
		}
	}
	os.Exit(code)
}
