// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/rollout/argo"
)

// An analysis holds the flags for the outcome of Argo Rollouts analyses.
type analysis struct {
	outcome analysisOutcome
	after   delay
}

func (a *analysis) addFlags(f *pflag.FlagSet) {
	a.outcome = "successful"
	f.Var(&a.outcome, "analysis", "how analyses end: also failed, inconclusive")
	f.Var(&a.after, "analysis-after", "time that an analysis takes")
}

// An analysisOutcome is how analyses end.
type analysisOutcome string

var _ pflag.Value = new(analysisOutcome)

var phases = map[analysisOutcome]argo.RunPhase{
	"successful": argo.RunSuccessful, "failed": argo.RunFailed, "inconclusive": argo.RunInconclusive,
}

func (o *analysisOutcome) String() string { return string(*o) }
func (o *analysisOutcome) Type() string   { return "outcome" }

// Set accepts the three outcomes.
func (o *analysisOutcome) Set(s string) error {
	if _, ok := phases[analysisOutcome(s)]; !ok {
		return errors.New("must be successful, failed or inconclusive")
	}
	*o = analysisOutcome(s)
	return nil
}
