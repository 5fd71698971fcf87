// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

// A simulation is the flags of the command.
type simulation struct {
	input
	policies
	pace
	comparison
	picture
	edits
	from  []string
	chart bool // on the terminal

	heal         bool
	approveAfter delay
	neverApprove bool
	analysis     analysis
}

// approvedAfter is when a person approves, if nothing else is said.
const approvedAfter = 5 * time.Minute

// addEnvironment adds the flags that say what the simulated cluster is like.
func (s *simulation) addEnvironment(c *cobra.Command) {
	s.approveAfter = delay(approvedAfter)
	c.Flags().Var(&s.approveAfter, "approve-after", "time until a person confirms a step of a Rollout")
	s.analysis.addFlags(c.Flags())
	c.Flags().BoolVar(&s.neverApprove, "never-approve", false, "nobody confirms steps of a Rollout")
	c.Flags().BoolVar(&s.heal, "heal", false, "all pods become ready, and nodes have room")
	c.Flags().StringSliceVar(&s.from, "from", nil, "file or folder with what is running")
	_ = c.MarkFlagFilename("from", "yaml", "yml", "json") // fails only for a flag that is not there
	s.edits.addFlags(c.Flags())
}

// loadFrom reads what is running. Its nodes are also those of the other files, which may
// have none.
func (s *simulation) loadFrom(c *cobra.Command) (*manifest.Set, error) {
	edits := s.edits.any()
	if edits && s.live {
		s.edit = s.edits.at(s.clock())
	}
	if len(s.from) == 0 && (!edits || s.live) {
		return &manifest.Set{}, nil
	}
	if edits && slices.Contains(s.filenames, "-") { // it is read twice
		text, err := io.ReadAll(c.InOrStdin())
		if err != nil {
			return nil, err
		}
		s.stdin = text
	}
	nodes := s.withoutNodes
	s.withoutNodes, s.keep = true, true
	from, err := s.load(c, s.runningFiles())
	s.withoutNodes, s.keep, s.beside = nodes, false, from
	if err == nil && edits {
		s.edit = s.edits.at(s.restartTime(from))
	}
	if err == nil && s.serverSide && !from.Running.Live() {
		err = errors.New("--server-side needs --live, or live objects in the files of --from")
	}
	return from, err
}

// runningFiles returns the files with what runs before: those of --from or, if an edit tells the
// difference, all.
func (s *simulation) runningFiles() []string {
	if len(s.from) > 0 {
		return s.from
	}
	return s.filenames
}

// restartTime returns when what was read is restarted.
func (s *simulation) restartTime(from *manifest.Set) time.Time {
	if s.now.IsZero() && s.cluster == nil && !from.Latest.IsZero() {
		return from.Latest
	}
	return s.clock()
}

// An immutable error tells of a field that the API server lets nobody change.
type immutable struct{ field, file string }

func (i *immutable) Error() string {
	return i.field + ": must not change, and differs from that in " + i.file
}

// sameSelector returns an error if a selector is not that of an older workload in a file.
func sameSelector(old, now *metav1.LabelSelector, file string) error {
	if equality.Semantic.DeepEqual(old, now) {
		return nil
	}
	return &immutable{"spec.selector", file}
}
