// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// clean fails with every violation that an input shows.
func clean[C any](t rapid.TB, c *C) {
	t.Helper()
	if found := invariant.Run(c); len(found) > 0 {
		t.Fatalf("%v\n%s", found, described(c))
	}
}

// described returns the fields of an input as JSON, except functions.
func described(c any) string {
	fields := map[string]any{}
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.Func {
			fields[f.Name] = v.Field(i).Interface()
		}
	}
	text, err := json.Marshal(fields)
	return fmt.Sprint(string(text), err)
}

func deploymentPass(t *rapid.T, s deploy.Snapshot, o deploy.Options) (invariant.DeploymentPass, bool) {
	p, err := deploy.Reconcile(s, t0, o)
	return invariant.DeploymentPass{Snapshot: s, Now: t0, Options: o, Plan: p}, err == nil
}

func TestDeploymentPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anyKind(t, random.Deployment), deploymentOptions(t)
		if seldom(t, "by partition", 4) {
			s = random.Partitioned(random.Rapid(t), s)
		}
		if p, ok := deploymentPass(t, s, o); ok {
			clean(t, &p)
		}
	})
}

// TestBrokenDeployments: checks do not panic on any input, and the planner stays pure and total.
func TestBrokenDeployments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := random.Deployment(random.Rapid(t), random.Wrong), deploymentOptions(t)
		p, _ := deploymentPass(t, s, o)
		invariant.Run(&p)
		planner := invariant.DeploymentPlanner{Snapshot: s, Now: t0, Options: o, Plan: deploy.Reconcile}
		invariant.Run(&planner)
		for _, name := range []string{"determinism", "input untouched", "order independence", "no panic"} {
			if found := invariant.Check(name, &planner); len(found) > 0 {
				t.Fatalf("%s: %v\n%s", name, found, described(&planner))
			}
		}
	})
}

func TestDeploymentPlanner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anyKind(t, random.Deployment), deploymentOptions(t)
		if seldom(t, "by partition", 4) {
			s = random.Partitioned(random.Rapid(t), s)
		}
		clean(t, &invariant.DeploymentPlanner{Snapshot: s, Now: t0, Options: o, Plan: deploy.Reconcile})
	})
}
