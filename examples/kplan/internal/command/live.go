// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

// addLive adds the flags that apply the files to the cluster, only in the simulation.
func (in *input) addLive(c *cobra.Command) {
	c.Flags().BoolVar(&in.live, "live", false, "as if the files were applied to the cluster now")
	c.Flags().BoolVar(&in.serverSide, "server-side", false, "with --live, as kubectl apply --server-side")
	c.Flags().BoolVar(&in.force, "force-conflicts", false, "with --server-side, take fields that others own")
}

// checkLive requires files for --live.
func (in *input) checkLive(c *cobra.Command) error {
	switch {
	case in.force && !in.serverSide:
		return errors.New("--force-conflicts needs --server-side")
	case in.serverSide && !in.live && !c.Flags().Changed("from"):
		return errors.New("--server-side needs --live, or live objects in the files of --from")
	case in.live && !in.reads(c):
		return errors.New("--live needs -f FILE, with what would be applied")
	}
	return nil
}

// applyTo adds the running objects of the cluster to a source, so that its files are applied to
// them.
func (in *input) applyTo(c *cobra.Command, source *manifest.Source) error {
	if !in.live || len(source.Filenames)+len(source.Built) == 0 || in.beside != nil {
		return nil
	}
	if slices.Contains(source.Filenames, "-") { // it is read twice
		text, err := io.ReadAll(source.Stdin)
		if err != nil {
			return err
		}
		source.Stdin = bytes.NewReader(text)
		defer func() { source.Stdin = bytes.NewReader(text) }()
	}
	manifests, err := source.Manifests()
	if err != nil {
		return err
	}
	live, err := cluster.NewLive(in.config)
	if err != nil {
		return err
	}
	live.ServerSide, live.Force = in.serverSide, in.force
	live.Around = in.around
	live.Around.Nodes = true
	live.Tell = tellTo(c)
	in.progress.doing("reading the cluster")
	targets, related, err := live.Read(manifests)
	in.progress.done()
	if err != nil {
		return err
	}
	source.Namespace = live.Namespace
	source.Running, source.Apply, source.Also = targets, live.Apply, related.Objects
	source.Only = append([]types.UID{}, related.Targets...)
	in.cluster = &cluster.Snapshot{} // the present is the time of the clock
	if n := len(manifests) - len(targets); n > 0 {
		tell(c, []string{fmt.Sprintf("%d of %d workloads are not in the cluster and start from nothing", n, len(manifests))})
	}
	return nil
}
