// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
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
	from  []string
	chart bool // on the terminal

	heal         bool
	approveAfter delay
	neverApprove bool
	analysis     analysis
}

// addEnvironment adds the flags that say what the simulated cluster is like.
func (s *simulation) addEnvironment(c *cobra.Command) {
	s.approveAfter = delay(5 * time.Minute)
	c.Flags().Var(&s.approveAfter, "approve-after", "time until a person confirms a step of a Rollout")
	s.analysis.addFlags(c.Flags())
	c.Flags().BoolVar(&s.neverApprove, "never-approve", false, "nobody confirms steps of a Rollout")
	c.Flags().BoolVar(&s.heal, "heal", false, "all pods become ready, and nodes have room")
	c.Flags().StringSliceVar(&s.from, "from", nil, "file or folder with what is running")
	_ = c.MarkFlagFilename("from", "yaml", "yml", "json") // fails only for a flag that is not there
}

// loadFrom reads what is running. Its nodes are also those of the other files, which may
// have none.
func (s *simulation) loadFrom(c *cobra.Command) (*manifest.Set, error) {
	if len(s.from) == 0 {
		return &manifest.Set{}, nil
	}
	nodes := s.withoutNodes
	s.withoutNodes, s.keep = true, true
	from, err := s.load(c, s.from)
	s.withoutNodes, s.keep, s.beside = nodes, false, from
	if err == nil && s.serverSide && !from.Running.Live() {
		err = errors.New("--server-side needs --live, or live objects in the files of --from")
	}
	return from, err
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
