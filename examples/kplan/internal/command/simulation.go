// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

// A simulation holds the flags of the command.
type simulation struct {
	input
	subject.Settings
	picture
	edits
	from  []string
	chart bool // on the terminal
}

// addEnvironment adds the flags that describe the simulated cluster.
func (s *simulation) addEnvironment(c *cobra.Command) {
	s.Settings.AddFlags(c.Flags())
	c.Flags().StringSliceVar(&s.from, "from", nil, "file or folder with what is running")
	_ = c.MarkFlagFilename("from", "yaml", "yml", "json") // fails only for an unknown flag
	s.edits.addFlags(c.Flags())
}

// loadFrom reads the running objects. DaemonSets among them need no nodes: the other files may
// hold the nodes.
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

// runningFiles returns the files with the running objects: the files of --from, or all files if
// edits are the only difference.
func (s *simulation) runningFiles() []string {
	if len(s.from) > 0 {
		return s.from
	}
	return s.filenames
}

// restartTime returns the time of the restart.
func (s *simulation) restartTime(from *manifest.Set) time.Time {
	if s.now.IsZero() && s.cluster == nil && !from.Latest.IsZero() {
		return from.Latest
	}
	return s.clock()
}
