package rollout_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// An IntOrString is read as Kubernetes reads it: text is a percentage, or an error.
func TestFromIntOrString(t *testing.T) {
	for _, c := range []struct {
		why      string
		isString bool
		number   int32
		text     string
		want     rollout.IntOrPercent
		ok       bool
	}{
		{"a number", false, 5, "", rollout.Int(5), true},
		{"zero is not unset", false, 0, "", rollout.Int(0), true},
		{"below zero, which others refuse", false, -3, "", rollout.Int(-3), true},
		{"the text of a number is not read", false, 5, "25%", rollout.Int(5), true},
		{"a share", true, 0, "25%", rollout.Percent(25), true},
		{"the number of a text is not read", true, 7, "25%", rollout.Percent(25), true},
		{"a sign", true, 0, "+5%", rollout.Percent(5), true},
		{"the text 5 is not the number 5", true, 0, "5", unset, false},
		{"nor is it with its number", true, 5, "5", unset, false},
		{"no text is not unset", true, 0, "", unset, false},
		{"a sign alone", true, 0, "%", unset, false},
		{"a fraction", true, 0, "2.5%", unset, false},
		{"beyond 32 bits", true, 0, "2147483648%", unset, false},
	} {
		got, err := rollout.FromIntOrString(c.isString, c.number, c.text)
		require.Equal(t, c.want, got, c.why)
		require.Equal(t, c.ok, err == nil, c.why)
		if err != nil {
			requireFieldError(t, err, c.text)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // JSON is read the same way
		text := rapid.StringMatching(`[+-]?[0-9]{0,11}%?`).Draw(t, "text")
		got, err := rollout.FromIntOrString(true, 0, text)
		var decoded rollout.IntOrPercent
		require.Equal(t, err, decoded.UnmarshalJSON([]byte(`"`+text+`"`)))
		require.Equal(t, got, decoded)
	})
}

// The partition of a native DaemonSet is read as OpenKruise reads it: what a scan of one
// number of 32 bits takes.
func TestDesiredOfNativeBatch(t *testing.T) {
	for _, c := range []struct {
		partition string
		want      int32 // of 8 pods
		ok        bool
	}{
		{"3", 5, true}, {" 3 ", 5, true}, {"\t3", 5, true}, {"3x", 5, true}, {"50%", 0, true}, {"+3", 5, true}, {"-1", 9, true}, {"2.5", 6, true},
		{"0x5", 8, true}, {"1_0", 7, true}, {"999", 0, true}, {"2147483647", 0, true}, {"-2147483648", 0, true}, // wraps around below 0, which is none
		{"", 0, false}, {"  ", 0, false}, {"x3", 0, false}, {"+", 0, false}, {"- 3", 0, false}, {"\n3", 0, false}, {"\r\n3", 0, false}, {"٣", 0, false},
		{"2147483648", 0, false}, {"99999999999999999999", 0, false},
	} {
		got, err := rollout.NativeBatch{Partition: c.partition, Pods: make([]rollout.DaemonSetPod, 8)}.Desired()
		require.Equal(t, c.want, got, "%q", c.partition)
		require.Equal(t, c.ok, err == nil, "%q", c.partition)
		if err != nil {
			requireFieldError(t, err, c.partition)
			require.ErrorContains(t, err, "Partition")
		}
	}
}

// wideLimits is a preview with a surge that is beyond 32 bits.
func wideLimits(t *testing.T, o rollout.Options) string {
	in := rollout.PreviewInput{
		Rollout: partitioned(deployment, step(rollout.Percent(100), 0)), Replicas: 200,
		Limits: &rollout.RollingUpdate{MaxSurge: rollout.Percent(math.MaxInt32), MaxUnavailable: rollout.Int(0)},
	}
	p, err := rollout.Preview(in, o)
	require.NoError(t, err)
	end := "ends at " + p.Steps[0].End.String()
	if p.Steps[0].Stuck != "" {
		end = "never ends"
	}
	return fmt.Sprintf("surge %d, %s", rollout.PartitionBudget(in.Replicas, in.Limits, o.Repair.Has(rollout.LimitsWrapAround)).Surge, end)
}

// Oracle: with limits of any size, corrected, the sizes of a preview are those that the
// planner of package deploy reaches. No total wraps around or saturates on the way.
func TestPreviewOfWideLimitsAgreesWithDeploy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wide := rapid.Map(rapid.Int32Range(1<<30, math.MaxInt32), rollout.Percent)
		in := rollout.PreviewInput{
			Replicas: rapid.Int32Range(100, math.MaxInt32).Draw(t, "replicas"), Rollout: partitioned(deployment, step(rollout.Percent(50), -1)),
			Limits: &rollout.RollingUpdate{MaxSurge: wide.Draw(t, "surge"), MaxUnavailable: wide.Draw(t, "unavailable")},
		}
		in.Generations = []int32{in.Replicas, rapid.Int32Range(0, in.Replicas).Draw(t, "middle")}
		o := rollout.Options{Repair: rollout.RepairAll}
		p, err := rollout.Preview(in, o)
		require.NoError(t, err)
		c := newWorld(t, in.Replicas)
		c.opts, c.sizes, c.partitioned = o, map[string]int32{"v0": in.Generations[0], "v1": in.Generations[1]}, &partitioner{t: t}
		c.w.Template, c.w.StrategyType, c.w.Paused = template("v2"), "Recreate", true
		for _, partition := range []rollout.IntOrPercent{rollout.Int(0), rollout.Percent(50)} {
			c.w.Annotations = map[string]string{
				rollout.AnnotationControlInfo: "{}",
				rollout.AnnotationStrategy:    rollout.DeploymentStrategy{RollingStyle: rollout.StylePartition, RollingUpdate: in.Limits, Partition: partition}.Text(),
			}
			for range 12 {
				c.partitioned.pass(c)
			}
		}
		want := rollout.Sizes{New: c.sizes["v2"], Old: c.sizes["v0"], Middle: c.sizes["v1"]}
		require.Equal(t, want, p.Steps[0].End, strings.Join(c.partitioned.seen, "\n"))
	})
}
