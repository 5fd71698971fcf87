package daemonset_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/stretchr/testify/require"
)

// produced are the reasons that the plans and placements of all tables have given.
var produced = struct {
	sync.Mutex
	reasons map[string]bool
}{reasons: map[string]bool{}}

func produce(p daemonset.Plan) {
	produced.Lock()
	defer produced.Unlock()
	for _, a := range p.Actions {
		produced.reasons[reflect.ValueOf(a).FieldByName("Reason").String()] = true
	}
	for _, h := range p.Holds {
		produced.reasons[string(h.Reason)] = true
	}
}

func produceReason(r daemonset.Reason) {
	produced.Lock()
	defer produced.Unlock()
	produced.reasons[string(r)] = true
}

// A failed new pod that waits stands beside an old one.
func TestNewAndOld(t *testing.T) {
	s := cluster(2, pod("p1", "n1", "v1"), pod("q1", "n1", "v2", failed), pod("p2", "n2", "v1"))
	s.Backoff = daemonset.Backoff{{BackoffKey: agentKey("n1"), Delay: 8 * time.Second, Since: t0.Add(-time.Second)}}
	p := mustPlan(t, s, daemonset.Options{})
	require.Contains(t, p.Holds, daemonset.Hold{Node: "n1", Name: "q1", Reason: daemonset.ReasonNewAndOld})
}

// A failure is what a check outside of a test says.
type failure struct{}

func (failure) Helper() {}
func (failure) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}

// TestMain asks, when all tests have run, that each reason of the package has a case in
// one of their tables.
func TestMain(m *testing.M) {
	code := m.Run()
	if flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && code == 0 && !testing.Short() {
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
