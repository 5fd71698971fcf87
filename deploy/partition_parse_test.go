// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

func TestParsePartitioned(t *testing.T) {
	limits := &partition.RollingUpdate{MaxUnavailable: rollout.Percent(25), MaxSurge: rollout.Int(2)}
	for _, c := range []struct {
		text, again string // again is "" if it is text
		want        partition.Strategy
	}{
		{`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":2},"paused":true,"partition":"20%"}`, "",
			partition.Strategy{RollingStyle: "Partition", RollingUpdate: limits, Paused: true, Partition: rollout.Percent(20)}},
		{`{"partition":3}`, "", partition.Strategy{Partition: rollout.Int(3)}},
		{`{}`, `{"partition":0}`, partition.Strategy{}},
		{`{"partition":null,"rollingUpdate":{}}`, `{"rollingUpdate":{},"partition":0}`, partition.Strategy{RollingUpdate: &partition.RollingUpdate{}}},
		{`{"partition":"50"}`, `{"partition":"0%"}`, partition.Strategy{Partition: rollout.Percent(0)}},
		{`{"partition":"33.3%"}`, `{"partition":"0%"}`, partition.Strategy{Partition: rollout.Percent(0)}},
		{`{"partition":"100%"}`, "", partition.Strategy{Partition: rollout.Percent(100)}},
		{`{"partition":"0100%"}`, `{"partition":"101%"}`, partition.Strategy{Partition: rollout.Percent(101)}},
		{`{"partition":100}`, "", partition.Strategy{Partition: rollout.Int(100)}},
		{`{"partition":"-3000000000%"}`, `{"partition":"-2147483648%"}`, partition.Strategy{Partition: rollout.Percent(-1 << 31)}},
		{`{"rollingUpdate":{"maxSurge":"abc","maxUnavailable":1},"partition":1}`, `{"partition":1}`, partition.Strategy{Partition: rollout.Int(1)}},
		{`{"rollingUpdate":{"maxSurge":1,"maxUnavailable":"1"},"partition":1}`, `{"partition":1}`, partition.Strategy{Partition: rollout.Int(1)}},
	} {
		got, err := deploy.ParsePartitioned(c.text)
		require.NoError(t, err, c.text)
		requireEqual(t, c.text, c.want, got)
		if c.again == "" {
			c.again = c.text
		}
		require.Equal(t, c.again, got.Text())
	}
	for _, text := range []string{"", "x", `{"partition":1.5}`, `{"partition":3000000000}`, `{"paused":1}`, `{"partition":true}`} {
		_, err := deploy.ParsePartitioned(text)
		var invalid *kplan.FieldError
		require.True(t, errors.As(err, &invalid), text)
		require.Equal(t, text, invalid.Value)
	}
}

func TestPartitionedBy(t *testing.T) {
	d := web(6)
	d.Strategy, d.Paused = deploy.Recreate, true
	d.Annotations = map[string]string{
		partition.AnnotationControlInfo: `{"name":"web"}`, partition.AnnotationStrategy: `{"rollingStyle":"Partition","partition":"20%"}`,
	}
	require.Equal(t, &partition.Strategy{RollingStyle: "Partition", Partition: rollout.Percent(20)}, deploy.PartitionedBy(d))
	for name, change := range map[string]func(*deploy.Deployment){
		"no controller":     func(d *deploy.Deployment) { d.Annotations[partition.AnnotationControlInfo] = "" },
		"own strategy":      func(d *deploy.Deployment) { d.Strategy = deploy.RollingUpdate },
		"not paused":        func(d *deploy.Deployment) { d.Paused = false },
		"not readable":      func(d *deploy.Deployment) { d.Annotations[partition.AnnotationStrategy] = "{" },
		"no annotation":     func(d *deploy.Deployment) { delete(d.Annotations, partition.AnnotationStrategy) },
		"of another style":  func(d *deploy.Deployment) { d.Annotations[partition.AnnotationStrategy] = `{"rollingStyle":"Canary"}` },
		"no annotations":    func(d *deploy.Deployment) { d.Annotations = nil },
		"unknown strategy":  func(d *deploy.Deployment) { d.Strategy = "Blue" },
		"the empty default": func(d *deploy.Deployment) { d.Strategy = "" },
	} {
		other := d
		other.Annotations = merged(d.Annotations, nil)
		change(&other)
		require.Nil(t, deploy.PartitionedBy(other), name)
	}
}
