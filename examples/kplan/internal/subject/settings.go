// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/rollout/argo"
)

// The Settings of simulations: the flags, and the state of the command.
type Settings struct {
	Policies
	Pace
	Comparison
	Heal          bool
	approveAfter  Delay
	neverApprove  bool
	analysis      analysisOutcome
	analysisAfter Delay

	Begin    time.Time // the present, zero for the latest time in the objects of a workload
	NoNodes  bool      // nodes of DaemonSets are not assumed
	NotesNew bool      // with a note about each workload that starts from nothing
	Tell     func(note string)
	Doing    func(format string, values ...any) // shows progress
}

// approvedAfter is the default time until a user approves.
const approvedAfter = 5 * time.Minute

// AddFlags adds the flags that describe the simulated cluster.
func (s *Settings) AddFlags(f *pflag.FlagSet) {
	s.approveAfter, s.analysis = Delay(approvedAfter), "successful"
	f.Var(&s.approveAfter, "approve-after", "time until a person confirms a step of a Rollout")
	f.Var(&s.analysis, "analysis", "how analyses end: also failed, inconclusive")
	f.Var(&s.analysisAfter, "analysis-after", "time that an analysis takes")
	f.BoolVar(&s.neverApprove, "never-approve", false, "nobody confirms steps of a Rollout")
	f.BoolVar(&s.Heal, "heal", false, "all pods become ready, and nodes have room")
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

// startsFromNothing notes that a workload is not in the files of --from, unless the answer itself
// says that it is new.
func (s *Settings) startsFromNothing(does bool, file, name string) {
	if does && s.NotesNew {
		s.Tell(fmt.Sprintf("%s: %s is not in the files of --from and starts from nothing", file, name))
	}
}
