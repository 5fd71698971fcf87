// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// example is a rollout of six pods in three steps, with a pause and traffic.
func example() *Chart {
	before, now, traffic := Series{Name: "old"}, Series{Name: "new"}, Series{Name: "traffic"}
	for i, n := range []float64{0, 2, 2, 3, 6} {
		at := time.Duration(i) * time.Minute
		before.Add(at, 6-n)
		now.Add(at, n)
		traffic.Add(at, n*16)
	}
	return &Chart{
		Title: "Rollout <echoserver>", End: 5 * time.Minute, Pods: []Series{before, now}, Traffic: &traffic,
		Bounds: []Bound{{Name: "at most 8", Value: 8}}, Spans: []Span{{"pause 1m", time.Minute, 2 * time.Minute}},
	}
}

func golden(t *testing.T, path string, text string) {
	t.Helper()
	if os.Getenv("KPLAN_REWRITE") == "1" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "%s; KPLAN_REWRITE=1 writes it anew", path)
}

func TestText(t *testing.T) {
	var text strings.Builder
	example().Text(terminal.NewWriter(&text))
	golden(t, "testdata/example.txt", text.String())
	for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		require.LessOrEqual(t, len([]rune(line)), mostWidth+20, line)
	}
	// Nothing at all is drawn as well.
	text.Reset()
	(&Chart{Pods: []Series{{Name: "pods"}}}).Text(terminal.NewWriter(&text))
	require.Contains(t, text.String(), "pods ")
}

// TestSVG: the picture is XML, says what it shows, and is the same every time.
func TestSVG(t *testing.T) {
	var first, second strings.Builder
	require.NoError(t, example().SVG(&first))
	require.NoError(t, example().SVG(&second))
	require.Equal(t, first.String(), second.String())
	golden(t, "testdata/example.svg", first.String())
	texts := map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(first.String()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if data, ok := token.(xml.CharData); ok {
			texts[strings.TrimSpace(string(data))] = true
		}
	}
	for _, want := range []string{"Rollout <echoserver>", "old", "new", "traffic", "at most 8", "pods", "percent", "time", "0s", "1m", "5m", "8", "100"} {
		require.True(t, texts[want], want)
	}
	require.NoError(t, (&Chart{Pods: []Series{{Name: "pods"}}}).SVG(io.Discard), "nothing at all")
}

// TestStacked: areas stand on each other, and what stands highest is within the picture.
func TestStacked(t *testing.T) {
	a, b := Series{Name: "a", Stacked: true}, Series{Name: "b", Stacked: true}
	a.Add(0, 6)
	a.Add(2*time.Second, 2)
	b.Add(time.Second, 5)
	b.Add(3*time.Second, 4)
	require.Equal(t, []Point{{0, 6}, {time.Second, 11}, {2 * time.Second, 7}, {3 * time.Second, 6}}, sum(&a, &b).Points)
	require.InDelta(t, 11, (&Chart{Pods: []Series{a, b}}).highest(), 0)
	require.InDelta(t, 12, (&Chart{Pods: []Series{a, b}, Bounds: []Bound{{Name: "at most", Value: 12}}}).highest(), 0)
	b.Stacked = false
	require.InDelta(t, 6, (&Chart{Pods: []Series{a, b}}).highest(), 0)
}

// TestInline: a page gets the plots without what it draws itself, and where their axis is.
func TestInline(t *testing.T) {
	svg, l := example().Inline()
	require.Equal(t, Layout{Width: 760, Left: 52, Right: 744, End: 312 * time.Second}, l)
	require.NotContains(t, svg, "<style>")
	require.NotContains(t, svg, `class="title"`)
	require.Contains(t, svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox=`)
	require.Equal(t, []Entry{{"line", colors[0], "old"}, {"line", colors[1], "new"}, {"bound", "", "at most 8"}, {"line", colors[2], "traffic"}}, example().Legend())
}

// TestMarks: every instant has its triangle, and a name if that has room. Zones have a plot of
// their own, below all others.
func TestMarks(t *testing.T) {
	c := example()
	c.Marks = []Mark{{0, "1"}, {time.Second, "2"}, {time.Minute, "3"}}
	c.Zones = []Series{{Name: "zone-1", Points: []Point{{0, 3}}}}
	var b strings.Builder
	require.NoError(t, c.SVG(&b))
	require.Equal(t, 3, strings.Count(b.String(), `class="mark"`))
	require.Contains(t, b.String(), ">1</text>")
	require.Contains(t, b.String(), ">3</text>")
	require.Equal(t, 0, strings.Count(b.String(), `text-anchor="middle">2</text>`), "it would lie on the first")
	require.Greater(t, strings.Index(b.String(), ">zone-1<"), strings.Index(b.String(), ">traffic<"))
}

// TestSeries: a number that stays adds nothing, and the last of one instant counts.
func TestSeries(t *testing.T) {
	var s Series
	s.Add(0, 1)
	s.Add(time.Second, 1)
	s.Add(2*time.Second, 2)
	s.Add(2*time.Second, 3)
	require.Equal(t, []Point{{0, 1}, {2 * time.Second, 3}}, s.Points)
	require.InDelta(t, 1, s.at(1999*time.Millisecond), 0)
	require.InDelta(t, 3, s.at(2*time.Second), 0)
	require.InDelta(t, 0, new(Series).at(0), 0)
}

func TestTicks(t *testing.T) {
	for most, want := range map[float64]string{7: "0 1 2 3 4 5 6 7", 20: "0 5 10 15 20", 48: "0 10 20 30 40", 700: "0 100 200 300 400 500 600 700"} {
		var labels []string
		for _, tick := range wholeTicks(0, most, 8) {
			labels = append(labels, tick.Label)
		}
		require.Equal(t, want, strings.Join(labels, " "))
	}
	var labels []string
	for _, tick := range timeTicks(0, 200) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, "0s 30s 1m 1m30s 2m 2m30s 3m", strings.Join(labels, " "))
	require.LessOrEqual(t, len(timeTicks(0, 400_000)), 9)
}
