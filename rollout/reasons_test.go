package rollout_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

// produced are the constants that the plans of all tests have had, by type and text.
var produced = struct {
	sync.Mutex
	constants map[[2]string]bool
}{constants: map[[2]string]bool{}}

// produce notes the constants of this package in the parts of a plan.
func produce(parts ...any) {
	produced.Lock()
	defer produced.Unlock()
	for _, part := range parts {
		walk(reflect.ValueOf(part))
	}
}

func walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if name := v.Type().Name(); name != "string" {
			produced.constants[[2]string{name, v.String()}] = true
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
}

func planRollout(s rollout.Snapshot, now time.Time, o rollout.Options) (rollout.Plan, error) {
	p, err := rollout.Reconcile(s, now, o)
	produce(p)
	return p, err
}

func planBatch(s rollout.BatchSnapshot, now time.Time, o rollout.Options) (rollout.BatchPlan, error) {
	p, err := rollout.ReconcileBatch(s, now, o)
	produce(p)
	return p, err
}

func planArgo(s rollout.ArgoSnapshot, now time.Time) (rollout.ArgoPlan, error) {
	p, err := rollout.ArgoReconcile(s, now)
	produce(p)
	return p, err
}

func planAdmission(s rollout.AdmitSnapshot, o rollout.Options) (rollout.Admission, error) {
	a, err := rollout.Admit(s, o)
	produce(a)
	return a, err
}

func eventOf(s rollout.BatchSnapshot) rollout.WorkloadEvent {
	e := rollout.EventOf(s)
	produce(e)
	return e
}

// A failure is what a check outside of a test says.
type failure struct{}

func (failure) Helper() {}
func (failure) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	code := m.Run()
	if flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && code == 0 && !testing.Short() {
		if missing := unproduced(); len(missing) > 0 {
			fmt.Println("no test has a plan with", missing)
			code = 1
		}
	}
	os.Exit(code)
}

func unproduced() (missing []string) {
	for _, kind := range []string{
		"Reason", "RolloutPhase", "StepState", "FinalisingStep", "BatchPhase", "BatchState", "FinalizingPolicy", "WorkloadEvent", "ArgoPhase",
	} {
		for name, text := range purity.Constants(failure{}, ".", kind) {
			if name != "BatchInitial" && !produced.constants[[2]string{kind, text}] { // which others may have written
				missing = append(missing, name)
			}
		}
	}
	slices.Sort(missing)
	return missing
}
