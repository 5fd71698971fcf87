// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

type condition struct {
	Type string
	At   time.Time
}

type pod struct {
	Name       string
	Conditions []condition
}

type node struct {
	Name   string
	Taints []string
}

type snapshot struct {
	Pods   []pod
	Nodes  []node
	Labels map[string][]string
	Limit  rollout.IntOrPercent
	Now    time.Time
	Owner  *node
	Any    any
	Pair   [2][]int
	hidden []int
}

func example() snapshot {
	return snapshot{
		Pods:   []pod{{"b", []condition{{"Ready", time.Unix(5, 0)}, {"Scheduled", time.Time{}}}}, {"a", nil}, {"c", []condition{}}},
		Nodes:  []node{{"n1", []string{"x", "y", "z"}}, {"n2", nil}},
		Labels: map[string][]string{"a": {"1"}, "b": nil},
		Limit:  rollout.Percent(25),
		Now:    time.Date(2026, 3, 1, 0, 0, 0, 0, time.FixedZone("x", 3600)),
		Owner:  &node{"o", []string{"t"}},
		Any:    []int{1, 2},
		Pair:   [2][]int{{1}, {2}},
		hidden: []int{7},
	}
}

type action struct {
	Name string
	Set  map[string]string
}

type plan struct {
	Actions []any
	At      time.Time
}

// pure is a planner with nothing wrong.
func pure(s snapshot) (plan, error) {
	pods := slices.SortedFunc(slices.Values(s.Pods), func(a, b pod) int { return cmp.Compare(a.Name, b.Name) })
	p := plan{At: s.Now}
	for _, pod := range pods {
		var set map[string]string
		for i, c := range pod.Conditions {
			if set == nil {
				set = map[string]string{}
			}
			set[c.Type] = fmt.Sprint(i, c.At)
		}
		p.Actions = append(p.Actions, action{pod.Name, set})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		p.Actions = append(p.Actions, key)
	}
	return p, nil
}

// A recorder keeps the first failure and ends the call.
type recorder struct{ text string }

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.text = fmt.Sprintf(format, args...)
	panic(r)
}

// failure returns how check fails, or "".
func failure(check func(t T)) string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != r {
				panic(p)
			}
		}()
		check(r)
	}()
	return r.text
}

func TestPurePasses(t *testing.T) {
	s := example()
	want, err := pure(s)
	require.NoError(t, err)
	require.Equal(t, want, Check(t, s, pure, "Pods", "Nodes", "Nodes.Taints", "Owner.Taints"))
	require.Equal(t, example(), s)
	sum := func(list []int) (int, error) { return len(list), nil }
	require.Equal(t, 3, Check(t, []int{1, 2, 3}, sum, ""))
	rapid.Check(t, func(t *rapid.T) {
		Check(t, rapid.SliceOf(rapid.Int()).Draw(t, "list"), sum, "")
	})
}

// These planted bugs are no data races, so that they can be shown in this process.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		name  string
		plan  func(s snapshot) (any, error)
		names []string
		want  string
	}{
		{"order of a list", func(s snapshot) (any, error) { return s.Pods[0].Name, nil }, []string{"Pods"}, "depends on the order of Pods"},
		{"order of a nested list", func(s snapshot) (any, error) {
			return strings.Join(s.Nodes[0].Taints, ","), nil
		}, []string{"Nodes.Taints"}, "depends on the order of Nodes.Taints"},
		{"order of an error", func(s snapshot) (any, error) { return nil, errors.New(s.Pods[0].Name) }, []string{"Pods"}, "error: b, then c"},
		{"error or not", func(s snapshot) (any, error) {
			if s.Pods[0].Name == "a" {
				return nil, errors.New("a is first")
			}
			return nil, nil
		}, []string{"Pods"}, "error: <nil>, then a is first"},
		{"shared map", func(s snapshot) (any, error) { return s.Labels, nil }, nil, "shares memory with the snapshot"},
		{"shared list", func(s snapshot) (any, error) { return s.Nodes[0].Taints[1:2], nil }, nil, "shares memory with the snapshot: Nodes[0].Taints[1]: y, then y!"},
		{"shared spare capacity", func(s snapshot) (any, error) { return s.Nodes[0].Taints[3:3], nil }, nil, "behind the end of Nodes[0].Taints"},
		{"shared pointer", func(s snapshot) (any, error) { return s.Owner, nil }, nil, "shares memory with the snapshot: Owner"},
		{"shared in an action", func(s snapshot) (any, error) { return plan{Actions: []any{&s.Pods[0]}}, nil }, nil, "shares memory"},
		{"a list with nothing in it", func(s snapshot) (any, error) { return plan{Actions: make([]any, 0, 3)}, nil }, nil, "Actions of purity.plan is empty and not nil"},
		{"a map with nothing in it", func(s snapshot) (any, error) {
			return plan{Actions: []any{map[string]string{}}}, nil
		}, nil, "Actions[0] of purity.plan is empty and not nil"},
		{"panic", func(s snapshot) (any, error) { panic("boom") }, nil, "plan panics: boom"},
		{"unknown name", func(s snapshot) (any, error) { return nil, nil }, []string{"Pod"}, `no slice named "Pod"`},
		{"no slice", func(s snapshot) (any, error) { return nil, nil }, []string{"Labels"}, `no slice named "Labels"`},
		{"hidden", func(s snapshot) (any, error) { return nil, nil }, []string{"hidden"}, `no slice named "hidden"`},
		{"unknown nested name", func(s snapshot) (any, error) { return nil, nil }, []string{"Pods.Conditions.X"}, `no slice named "Pods.Conditions.X"`},
		{"not a slice itself", func(s snapshot) (any, error) { return nil, nil }, []string{""}, `no slice named ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := failure(func(t T) { Check(t, example(), c.plan, c.names...) })
			require.Contains(t, text, c.want)
		})
	}
}

// A planner that hands out the same memory twice: whoever writes to one plan
// changes the next.
func TestPlantedCache(t *testing.T) {
	cached := map[string]string{"a": "1"}
	text := failure(func(t T) {
		Check(t, example(), func(snapshot) (map[string]string, error) { return cached, nil })
	})
	require.Contains(t, text, "two plans of one snapshot share memory")
}

// An ordered list below an unordered one keeps its order.
func TestNestedOrderStays(t *testing.T) {
	Check(t, example(), func(s snapshot) (string, error) {
		for _, p := range s.Pods {
			if p.Name == "b" {
				return p.Conditions[0].Type, nil
			}
		}
		return "", nil
	}, "Pods")
}

// The bugs of the table in the package comment, each in its own process: most of them are data
// races, which would end this one.
func TestPlantedRaces(t *testing.T) {
	plain := build(t)
	raced := ""
	if os.Getenv("KPLAN_FULL") != "" && race(t) { // building it takes a quarter of a minute
		raced = build(t, "-race")
	}
	const detected = "DATA RACE"
	for _, c := range []struct {
		test        string
		plain, race string // the reports without and with -race; "" is none
	}{
		{"TestSort", "plan wrote to the snapshot: Pods", detected},
		{"TestTie", "depends on the order of Pods", "depends on the order of Pods"},
		{"TestMap", "Names[", "Names["},
		{"TestAppend", "plan wrote to the snapshot: behind the end of Pods", detected},
		{"TestRestore", "", detected},
		{"TestShare", "shares memory with the snapshot: Labels", "shares memory with the snapshot: Labels"},
	} {
		t.Run(c.test, func(t *testing.T) {
			requireReport(t, plain, c.test, c.plain)
			if raced == "" {
				t.Skip("without KPLAN_FULL, or the race detector is not available here")
			}
			requireReport(t, raced, c.test, c.race)
		})
	}
}

// race reports whether the race detector can be built.
func race(t *testing.T) bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out)) == "1"
}

func build(t *testing.T, flags ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "planted.test")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", append(append([]string{"test", "-c", "-o", name}, flags...), "./testdata/planted")...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return name
}

func requireReport(t *testing.T, binary, test, want string) {
	t.Helper()
	cmd := exec.Command(binary, "-test.run", "^"+test+"$", "-test.v")
	cmd.Env = os.Environ()
	out, err := cmd.CombinedOutput()
	require.Contains(t, string(out), "=== RUN   "+test)
	if want == "" {
		require.NoError(t, err, "%s", out)
		return
	}
	require.Error(t, err, "%s", out)
	require.Contains(t, string(out), want)
}

func TestClone(t *testing.T) {
	a := example()
	b := Clone(a)
	require.Equal(t, a, b)
	require.True(t, a.Now.Equal(b.Now))
	require.Equal(t, a.Now.Location(), b.Now.Location())
	require.Equal(t, rollout.Percent(25), b.Limit, "opaque values survive")
	require.Nil(t, b.Pods[1].Conditions, "nil stays nil")
	require.NotNil(t, b.Pods[2].Conditions, "and empty empty")
	require.Equal(t, len(b.Pods)+spareCapacity, cap(b.Pods))
	require.Empty(t, spare("", reflect.ValueOf(b)))

	b.Pods[0].Conditions[0].Type = "changed"
	b.Labels["a"][0] = "changed"
	b.Labels["new"] = nil
	b.Owner.Taints[0] = "changed"
	b.Any.([]int)[0] = 99
	b.Pair[1][0] = 99
	_ = append(b.Nodes[0].Taints, "changed")
	require.Equal(t, example(), a, "nothing of a clone is shared")
	require.Equal(t, "Nodes[0].Taints", spare("", reflect.ValueOf(b)))

	require.Nil(t, Clone[any](nil))
	require.Nil(t, Clone[map[string]int](nil))
	require.Nil(t, Clone[*int](nil))
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *snapshot)
		want   string
	}{
		{"field", func(s *snapshot) { s.Pods[0].Name = "x" }, "Pods[0].Name: b, then x"},
		{"length", func(s *snapshot) { s.Nodes[0].Taints = s.Nodes[0].Taints[:1] }, "Nodes[0].Taints: [x y z], then [x]"},
		{"key", func(s *snapshot) { delete(s.Labels, "b") }, "Labels: map[a:[1] b:[]], then map[a:[1]]"},
		{"nil", func(s *snapshot) { s.Pods[1].Conditions = []condition{} }, "Pods[1].Conditions: [], then []"},
		{"opaque", func(s *snapshot) { s.Limit = rollout.Int(25) }, "Limit: 25%, then 25"},
		{"pointer", func(s *snapshot) { s.Owner.Name = "x" }, "Owner.Name: o, then x"},
		{"no pointer", func(s *snapshot) { s.Owner = nil }, "Owner: "},
		{"type", func(s *snapshot) { s.Any = "x" }, "Any: [1 2], then x"},
		{"hidden", func(s *snapshot) { s.hidden[0] = 8 }, ": {"},
		{"nothing", func(s *snapshot) {}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := example(), example()
			c.change(&b)
			got := difference("", reflect.ValueOf(a), reflect.ValueOf(b))
			if c.want == "" {
				require.Empty(t, got)
				return
			}
			require.True(t, strings.HasPrefix(got, c.want), got)
		})
	}
}
