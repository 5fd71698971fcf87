// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A Comparison holds the flags that ask for many runs of a rollout, possibly with several
// strategies.
type Comparison struct {
	Start  quantiles
	trials trials
	Runs   uint
}

// AddFlags adds the flags to a command.
func (p *Comparison) AddFlags(c *cobra.Command) {
	f := c.Flags()
	f.Var(&p.Start, "start", "quantiles of how long pods take to start, such as p50=10s,p90=30s")
	f.Var(&p.trials, "try", "also with a strategy such as maxSurge=1,maxUnavailable=0")
	f.UintVar(&p.Runs, "runs", 100, "how often each strategy is run with --start")
}

// MaxRuns is the largest value of --runs.
const MaxRuns = 10_000

// Asked reports whether the user wants a comparison instead of steps.
func (p *Comparison) Asked() bool { return len(p.Start) > 0 || len(p.trials) > 0 }

var (
	_ pflag.Value = new(quantiles)
	_ pflag.Value = new(trials)
)

// The quantiles of the start times of pods, in order.
type quantiles []quantile

type quantile struct {
	percent  float64
	duration time.Duration
}

// Type returns the name of the value in help texts.
func (q *quantiles) Type() string { return "quantiles" }

func (q *quantiles) String() string {
	var texts []string
	for _, x := range *q {
		texts = append(texts, fmt.Sprintf("p%v=%v", x.percent, x.duration))
	}
	return strings.Join(texts, ",")
}

// Set accepts a list such as p50=10s,p90=30s, which must not decrease.
func (q *quantiles) Set(s string) error {
	wrong := fmt.Errorf("must be quantiles such as p50=10s,p90=30s")
	var list quantiles
	for _, text := range strings.Split(s, ",") {
		name, value, _ := strings.Cut(text, "=")
		percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
		d := new(Delay)
		if err != nil || !strings.HasPrefix(name, "p") || !(percent > 0 && percent < 100) || d.Set(value) != nil || *d == 0 {
			return wrong
		}
		if n := len(list); n > 0 && (percent <= list[n-1].percent || time.Duration(*d) < list[n-1].duration) {
			return wrong
		}
		list = append(list, quantile{percent, time.Duration(*d)})
	}
	*q = list
	return nil
}

// at returns the start time of a quantile. Its logarithm is normally distributed between two
// quantiles and beyond them. A single quantile is the start time of all pods.
func (q quantiles) at(share float64) time.Duration {
	if len(q) == 1 {
		return q[0].duration
	}
	score := func(share float64) float64 { return math.Sqrt2 * math.Erfinv(2*min(max(share, 1e-9), 1-1e-9)-1) }
	z := score(share)
	i := 1
	for i < len(q)-1 && share > q[i].percent/100 {
		i++
	}
	a, b := q[i-1], q[i]
	za, zb := score(a.percent/100), score(b.percent/100)
	la, lb := math.Log(a.duration.Seconds()), math.Log(b.duration.Seconds())
	const day = 24 * 3600
	seconds := min(math.Exp(la+(z-za)/(zb-za)*(lb-la)), day)
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
}

// spread returns the start times of 1001 quantiles.
func (q quantiles) spread() (s cluster.Spread) {
	for i := range 1001 {
		share := float64(i) / 1000
		s = append(s, cluster.Quantile{Share: share, Time: q.at(share)})
	}
	return s
}

// The trials are strategies to compare with the strategy in the manifest.
type trials []trial

// A trial is one other strategy.
type trial struct {
	label   string
	changes []func(*appsv1.Deployment)
}

// of returns a Deployment with the changes of the trial. It rejects a Deployment that the API
// server would reject.
func (t *trial) of(w *manifest.Workload) (deploy.Deployment, error) {
	d := w.Deployment.DeepCopy()
	for _, change := range t.changes {
		change(d)
	}
	d = kube.Default(d)
	if err := kube.Validate(d); err != nil {
		return deploy.Deployment{}, &manifest.Error{File: w.File, Object: w.Name() + ": --try " + t.label, Err: err}
	}
	return kube.Deployment(d)
}

// Type returns the name of the value in help texts.
func (t *trials) Type() string { return "strategy" }

func (t *trials) String() string {
	var texts []string
	for _, x := range *t {
		texts = append(texts, x.label)
	}
	return strings.Join(texts, " ")
}

// Set adds a strategy: settings such as maxSurge=1,maxUnavailable=0.
func (t *trials) Set(s string) error {
	var changes []func(*appsv1.Deployment)
	for _, text := range strings.Split(s, ",") {
		key, value, _ := strings.Cut(text, "=")
		change, err := setting(key, value)
		if err != nil {
			return err
		}
		if key == "strategy" { // first: it decides which other settings are valid
			changes = slices.Insert(changes, 0, change)
			continue
		}
		changes = append(changes, change)
	}
	*t = append(*t, trial{s, changes})
	return nil
}

// rolling returns the limits of rolling updates for changes. It creates them if they are unset.
func rolling(d *appsv1.Deployment) *appsv1.RollingUpdateDeployment {
	if d.Spec.Strategy.RollingUpdate == nil {
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{}
	}
	return d.Spec.Strategy.RollingUpdate
}

// setting returns the change that one setting makes.
func setting(key, value string) (func(*appsv1.Deployment), error) {
	limit, limitErr := rollout.Parse(value)
	number, numberErr := strconv.ParseInt(value, 10, 32)
	if value == "" {
		limitErr = errors.New("must be set") // rollout.Parse accepts ""
	}
	limitErr = negative(limitErr, limit.Of(100))
	numberErr = negative(numberErr, int32(number))
	switch {
	case key == "maxSurge" && limitErr == nil:
		return func(d *appsv1.Deployment) { rolling(d).MaxSurge = new(intstr.Parse(value)) }, nil
	case key == "maxUnavailable" && limitErr == nil:
		return func(d *appsv1.Deployment) { rolling(d).MaxUnavailable = new(intstr.Parse(value)) }, nil
	case key == "minReadySeconds" && numberErr == nil:
		return func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = int32(number) }, nil
	case key == "replicas" && numberErr == nil && number <= maxReplicas:
		return func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(number)) }, nil
	case key == "strategy" && value == string(deploy.Recreate):
		return func(d *appsv1.Deployment) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		}, nil
	case key == "strategy" && value == string(deploy.RollingUpdate):
		return func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType }, nil
	}
	return nil, fmt.Errorf("must be settings of maxSurge, maxUnavailable, minReadySeconds, replicas or strategy, such as maxSurge=1,maxUnavailable=0")
}

func negative(err error, n int32) error {
	if err == nil && n < 0 {
		return fmt.Errorf("must not be negative")
	}
	return err
}
