// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// The README shows what the program prints. Here a smaller cluster of the same proportions
// is asked, for the large one takes a while.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, room := range []int{44, 40} {
		var out bytes.Buffer
		require.NoError(t, report(&out, question{deployments: 100, nodes: 25, room: room, replicas: 10, seed: 1}))
		require.Contains(t, string(readme), "```\n"+out.String()+"```\n", "room %d", room)
	}
}

// The program uses what every user can: the standard library and the exported packages.
func TestImports(t *testing.T) {
	for _, name := range []string{"main.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			require.NotContains(t, path, "/internal/")
			require.True(t, !strings.Contains(path, ".") || strings.HasPrefix(path, "github.com/kplan-go/kplan/"), path)
		}
	}
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.Len(t, names, 2)
}

// The bounds of each strategy of the table, with room for everything.
func TestStrategies(t *testing.T) {
	q := question{deployments: 20, nodes: 5, room: 100, replicas: 10, seed: 7}
	want := map[string]int{"one more first": 10, "a quarter each (default)": 8, "a quarter fewer": 8}
	for _, s := range strategies {
		a, err := ask(q, s)
		require.NoError(t, err)
		require.Len(t, a.times, q.deployments, s.name)
		require.Equal(t, want[s.name], a.fewest, s.name)
		require.GreaterOrEqual(t, a.available, q.deployments*a.fewest, s.name)
		again, err := ask(q, s)
		require.NoError(t, err)
		require.Equal(t, a, again, "the seed decides everything")
	}
}

// Without room for a pod more, a strategy that wants one more first gets stuck, and one
// that makes room does not.
func TestNoRoom(t *testing.T) {
	q := question{deployments: 4, nodes: 2, room: 20, replicas: 10, seed: 1}
	stuck, err := ask(q, strategies[0])
	require.NoError(t, err)
	require.Empty(t, stuck.times)
	require.Equal(t, "never", stuck.done(1))
	require.Equal(t, 4, stuck.waiting)
	require.Equal(t, 10, stuck.fewest)
	makes, err := ask(q, strategies[2])
	require.NoError(t, err)
	require.Len(t, makes.times, 4)
}

// One Deployment is done when half of them are: there is no half of one.
func TestOne(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report(&out, question{deployments: 1, nodes: 1, room: 20, replicas: 10, seed: 1}))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3+len(strategies))
	for _, line := range lines[3:] {
		times := regexp.MustCompile(`(\d+m)?\d+s`).FindAllString(line, -1)
		require.Len(t, times, 2, line)
		require.Equal(t, times[0], times[1], line)
	}
}

// A cluster without Deployments, nodes or room is no question: no nodes would mean room for all.
func TestValid(t *testing.T) {
	require.NoError(t, question{deployments: 1, nodes: 1, room: 1}.valid())
	for _, n := range []int{0, -1, -5, math.MinInt} {
		require.EqualError(t, question{deployments: n, nodes: 1, room: 1}.valid(), fmt.Sprintf("-deployments %d: must be at least 1", n))
		require.EqualError(t, question{deployments: 1, nodes: n, room: 1}.valid(), fmt.Sprintf("-nodes %d: must be at least 1", n))
		require.EqualError(t, question{deployments: 1, nodes: 1, room: n}.valid(), fmt.Sprintf("-room %d: must be at least 1", n))
	}
}

// Property: whatever is asked, no Deployment leaves its bounds, and all of them are
// done if there is room for everything at once.
func TestBounds(t *testing.T) {
	limit := rapid.OneOf(
		rapid.Map(rapid.Int32Range(0, 6), rollout.Int), rapid.Map(rapid.Int32Range(0, 100), rollout.Percent))
	rapid.Check(t, func(t *rapid.T) {
		q := question{
			deployments: rapid.IntRange(1, 4).Draw(t, "deployments"), nodes: rapid.IntRange(1, 4).Draw(t, "nodes"),
			replicas: rapid.Int32Range(1, 9).Draw(t, "replicas"), seed: rapid.Uint64().Draw(t, "seed"),
		}
		needed := (q.deployments*int(q.replicas) + q.nodes - 1) / q.nodes
		q.room = needed + rapid.IntRange(0, 4*needed).Draw(t, "spare")
		s := strategy{surge: limit.Draw(t, "surge"), unavailable: limit.Draw(t, "unavailable")}
		a, err := ask(q, s)
		if err != nil {
			t.Fatal(err)
		}
		b := rollout.Resolve(q.replicas, s.surge, s.unavailable)
		if int32(a.fewest) < b.MinAvailable() || a.peak-a.waiting > q.nodes*q.room {
			t.Fatalf("%v: %+v", b, a)
		}
		if q.room >= 4*needed && len(a.times) < q.deployments {
			t.Fatalf("not done: %+v", a)
		}
	})
}
