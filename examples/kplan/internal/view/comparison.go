// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Comparison compares simulated rollouts of a Deployment with one or more strategies.
type Comparison struct {
	Namespace string
	Name      string
	Runs      int    // of each strategy
	Start     string // quantiles of the startup time of pods, "" if it is constant
	Trials    []Trial
	Policies  []string
}

// A Trial holds the runs of a strategy.
type Trial struct {
	Strategy       string
	Surge          int32 // as resolved from the strategy
	Unavailable    int32
	Peak           int32    // maximum number of wanted pods in any run
	LeastAvailable int32    // minimum number of available pods in any run
	Zones          []string // empty if the nodes have no zones
	PeakSkew       int32    // maximum difference of pods between zones in any run
	times          []time.Duration
	runs           int
}

// Subject returns the Deployment.
func (c Comparison) Subject() Subject { return deployment(c.Namespace, c.Name) }

// Add adds a run.
func (t *Trial) Add(s *Simulation) {
	if t.runs == 0 {
		t.LeastAvailable = math.MaxInt32
	}
	t.runs++
	b := Deployments{}.budget(s)
	t.Surge, t.Unavailable = b.Surge, b.Unavailable
	for i := range s.Steps {
		t.Peak = max(t.Peak, total(&s.Steps[i].Sizes))
		t.LeastAvailable = min(t.LeastAvailable, s.Steps[i].Available)
		t.PeakSkew = max(t.PeakSkew, s.Steps[i].PeakSkew)
	}
	t.Zones = s.zones()
	if s.Done {
		t.times = append(t.times, s.took())
	}
}

// quantile returns the time within which a share of the runs finished. It returns false if fewer
// runs finished.
func (t *Trial) quantile(percent int) (time.Duration, bool) {
	rank := (percent*t.runs + 99) / 100
	if rank < 1 || rank > len(t.times) {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(t.times))
	return sorted[rank-1], true
}

func (t *Trial) quantileText(percent int) string {
	if d, ok := t.quantile(percent); ok {
		return clock(d)
	}
	return "never"
}

// Unfinished names a strategy with unfinished runs, or returns "".
func (c Comparison) Unfinished() string {
	for i := range c.Trials {
		if t := &c.Trials[i]; len(t.times) < t.runs {
			return fmt.Sprintf("%s: %d of %d rollouts have not finished", t.Strategy, t.runs-len(t.times), t.runs)
		}
	}
	return ""
}

// Text writes the strategies side by side.
func (c Comparison) Text(w *terminal.Writer) {
	w.Printf("Deployment %s: %s of each strategy", c.Subject().label(), count(c.Runs, "rollout", "rollouts"))
	if c.Start != "" {
		w.Printf("; pods start within %s", strings.ReplaceAll(c.Start, ",", ", "))
	}
	w.Printf("\n\n")
	writePolicies(w, c.Policies, ofKubernetes)
	zoned := len(c.Trials) > 0 && len(c.Trials[0].Zones) > 0
	header := []string{"STRATEGY", "SURGE", "UNAVAILABLE", "PEAK PODS", "MIN AVAILABLE"}
	if zoned {
		header = append(header, "PEAK SKEW")
	}
	if c.Runs > 1 {
		header = append(header, "TIME P50", "TIME P90", "FINISHED")
	} else {
		header = append(header, "TIME")
	}
	t := terminal.NewTable(header...)
	for i := range c.Trials {
		r := &c.Trials[i]
		row := []string{r.Strategy, fmt.Sprint(r.Surge), fmt.Sprint(r.Unavailable), fmt.Sprint(r.Peak), fmt.Sprint(r.LeastAvailable)}
		if zoned {
			row = append(row, fmt.Sprint(r.PeakSkew))
		}
		row = append(row, r.quantileText(50))
		if c.Runs > 1 {
			row = append(row, r.quantileText(90), fmt.Sprintf("%d of %d", len(r.times), r.runs))
		}
		t.Row(row...)
	}
	t.WriteTo(w)
}

// MarshalJSON encodes the comparison. Times are in seconds, and null if too few runs finish.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type trial struct {
		Strategy       string   `json:"strategy"`
		Surge          int32    `json:"surge"`
		Unavailable    int32    `json:"unavailable"`
		Peak           int32    `json:"peakPods"`
		LeastAvailable int32    `json:"minAvailable"`
		PeakSkew       *int32   `json:"peakSkew,omitempty"`
		P50            *float64 `json:"timeP50"`
		P90            *float64 `json:"timeP90"`
		Finished       int      `json:"finished"`
	}
	list := []trial{}
	for i := range c.Trials {
		t := &c.Trials[i]
		var skew *int32
		if len(t.Zones) > 0 {
			skew = &t.PeakSkew
		}
		list = append(list, trial{t.Strategy, t.Surge, t.Unavailable, t.Peak, t.LeastAvailable, skew, t.seconds(50), t.seconds(90), len(t.times)})
	}
	return marshal(struct {
		head
		Policies []string `json:"policies,omitempty"`
		Start    string   `json:"start,omitempty"`
		Runs     int      `json:"runs"`
		Trials   []trial  `json:"trials"`
	}{headOf(c.Subject()), c.Policies, c.Start, c.Runs, list})
}

func (t *Trial) seconds(percent int) *float64 {
	d, ok := t.quantile(percent)
	if !ok {
		return nil
	}
	return new(d.Seconds())
}

// Verdict returns the result for all strategies together.
func (c Comparison) Verdict() Verdict {
	if c.Unfinished() != "" {
		return Fails
	}
	return Rolls
}

// Draw draws the strategies side by side: the time in which half and nine tenths of their rollouts
// finish, and the minimum of available pods.
func (c Comparison) Draw(w *terminal.Writer) {
	var times, available []chart.Bar
	longest, peak := time.Duration(0), int32(0)
	for i := range c.Trials {
		t := &c.Trials[i]
		half, _ := t.quantile(50)
		most, finished := t.quantile(90)
		longest, peak = max(longest, half, most), max(peak, t.Peak)
		bar := chart.Bar{Name: t.Strategy, Full: half.Seconds(), Light: most.Seconds(), Text: t.quantileText(50)}
		if !finished {
			bar.Light = math.Inf(1)
		}
		if c.Runs > 1 {
			bar.Text += ", " + t.quantileText(90)
		}
		times = append(times, bar)
		available = append(available, chart.Bar{Name: t.Strategy, Full: float64(t.LeastAvailable), Text: fmt.Sprint(t.LeastAvailable)})
	}
	title := "TIME"
	if c.Runs > 1 {
		title = "TIME P50, P90"
	}
	chart.Bars(w, title, clock(longest), longest.Seconds(), times)
	w.Printf("\n")
	chart.Bars(w, "MIN AVAILABLE", fmt.Sprint(peak), float64(peak), available)
}
