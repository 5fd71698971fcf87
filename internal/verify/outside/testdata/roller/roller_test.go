package roller

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/deploytest"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// promised runs the checks of deploytest for a planner that reports few numbers, explains little,
// and does no proportional scaling.
var promised = deploytest.Kit().Only("snapshots are accepted", "determinism", "input untouched", "order independence", "no panic", "actions take effect", "convergence",
	"no repeated state", "own objects only", "bounds after every prefix", "bounds after every part", "bounds from stale views", "JSON round trip", "time shift",
	"surge bound", "availability bound", "rounding of limits", "limits never both zero", "paused Deployment", "Recreate waits for old pods", "one new ReplicaSet",
	"one active ReplicaSet in the end", "unhealthy old pods first", "no stuck rollout", "revisions grow", "history limit", "sizes within int32", "template hash")

// states draws moments of rollouts, some of them paused or with Recreate, some with ReplicaSets of
// other owners, without replicas, or with the largest number of replicas.
var states = rapid.Custom(func(t *rapid.T) deploy.Snapshot {
	s := deploytest.Kit().Over(plantest.CaughtUp|plantest.Midway).Snapshots().Draw(t, "snapshot")
	seldom := func(name string) bool { return rapid.IntRange(0, 7).Draw(t, name) == 7 }
	d := &s.Deployment
	d.Paused = seldom("paused")
	if seldom("Recreate") {
		d.Strategy = deploy.Recreate
	}
	switch most := int32(1<<31 - 1); {
	case seldom("no replicas"):
		d.Replicas = nil
	case seldom("most replicas"):
		d.Replicas = &most
	}
	for _, rs := range s.ReplicaSets { // only proportional scaling writes them
		delete(rs.Annotations, revision.AnnotationDesired)
		delete(rs.Annotations, revision.AnnotationMax)
	}
	if n := len(s.ReplicaSets); n > 0 && seldom("another's") {
		s.ReplicaSets[n-1].ControllerUID = "another"
	}
	return s
})

var kit = promised.From(states).With(rapid.Just(deploy.Options{Repair: quirk.All}))

// The checks find no bug in the planner.
func TestRoller(t *testing.T) { kit.Check(t, Plan(None)) }

// A quiet test does not report its failure.
type quiet struct {
	testing.TB
	failed bool
}

func (*quiet) Helper()                 {}
func (*quiet) Name() string            { return "bug" }
func (*quiet) Log(...any)              {}
func (*quiet) Logf(string, ...any)     {}
func (q *quiet) Failed() bool          { return q.failed }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) Errorf(string, ...any) { q.failed = true }
func (q *quiet) FailNow()              { q.failed = true; runtime.Goexit() }

// search returns the number of the first failing case, and the first line of its report.
func search(b Bug) (cases int, found string) {
	done := make(chan bool)
	property := kit.Property(Plan(b))
	go func() {
		defer close(done)
		rapid.Check(&quiet{}, func(t *rapid.T) {
			if found == "" {
				cases++
			}
			defer func() {
				if r := recover(); r != nil {
					if lines := strings.Split(fmt.Sprint(r), "\n"); t.Failed() && found == "" && len(lines) > 1 {
						found, _, _ = strings.Cut(strings.TrimSpace(lines[1]), ": ")
					}
					panic(r)
				}
			}()
			property(t)
		})
	}()
	<-done
	return cases, found
}

// Each bug is found. With ROLLER_TABLE set, a table of them is written to that file.
func TestBugs(t *testing.T) {
	table := "| planted bug | found by | in case |\n|---|---|---|\n"
	for _, b := range Bugs() {
		cases, found := search(b)
		if found == "" {
			t.Errorf("%v is not found in %d cases", b, cases)
		}
		table += fmt.Sprintf("| %v | %s | %d |\n", b, found, cases)
	}
	t.Log("\n" + table)
	if name := os.Getenv("ROLLER_TABLE"); name != "" {
		if err := os.WriteFile(name, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
