// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

// An input holds the flags that most commands share, and the objects that they have read.
type input struct {
	filenames []string
	recursive bool
	kustomize string              // a folder that kustomize builds
	inAll     bool                // in all namespaces
	labels    string              // of workloads
	chosen    *manifest.Selection // of the files, nil for all
	admission manifest.Admission
	nodes     uint
	zones     uint
	// withoutNodes accepts DaemonSets without any node.
	withoutNodes bool
	keep         bool                                   // manifests may be applied to the objects
	whole        bool                                   // two sources are compared
	edit         func(*unstructured.Unstructured) error // of objects in files or in the cluster
	stdin        []byte                                 // text that was read from it
	live         bool                                   // manifests are applied to the objects of the cluster
	serverSide   bool
	force        bool          // as --force-conflicts
	beside       *manifest.Set // objects of the same cluster that were read before
	output       outputFormat
	now          subject.Instant

	config  *genericclioptions.ConfigFlags
	around  cluster.Around // objects to read around the workloads of a cluster
	watch   bool
	timeout subject.Delay     // of watch
	outcome error             // that ends it
	cluster *cluster.Snapshot // nil for files

	progress *progress      // nil without a terminal
	packer   *packed.Packer // of objects and of drawn documents
	told     []string       // notes about skipped objects, the same for --from and -f
	skipped  int            // manifests of workloads that cannot be read
}

func (in *input) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVarP(&in.filenames, "filename", "f", nil, "file or folder to read, or - for standard input")
	f.BoolVarP(&in.recursive, "recursive", "R", false, "read the folders within folders as well")
	f.StringVarP(&in.kustomize, "kustomize", "k", "", "folder that kustomize builds, as are then those of --from; kustomize fetches what it names by URL")
	_ = c.MarkFlagDirname("kustomize")
	f.Int32Var(&in.admission.PercentLimit, "partition-percent-limit", 50, "that flag of OpenKruise, for partition steps with traffic")
	f.BoolVar(&in.admission.Strict, "strict", false, "refuse Rollouts that are above that limit")
	in.output.addTo(c)
	f.Var(&in.now, "now", "the present, such as 2026-01-02T15:04:05Z")
	in.addClusterFlags(f)
	in.addCompletion(c)
	_ = c.MarkFlagFilename("filename", "yaml", "yml", "json") // fails only for an unknown flag
}

// maxNodes is the largest value of --nodes.
const maxNodes = 100_000

// addNodes adds the flags that make nodes.
func (in *input) addNodes(c *cobra.Command) {
	c.Flags().UintVar(&in.nodes, "nodes", 0, "make nodes until there are so many")
	c.Flags().UintVar(&in.zones, "zones", 0, "put nodes that are made into so many zones, in turn")
}

// present returns the time of the plan: --now, the clock for a cluster, or the latest time in the
// files. It is the clock for files without any time, which are manifests.
func (in *input) present(c *cobra.Command, latest time.Time) time.Time {
	if !in.now.IsZero() || in.cluster != nil || latest.IsZero() {
		return in.clock()
	}
	tell(c, []string{"the present is " + latest.Format(time.RFC3339) + ", the latest time in the files"})
	return latest
}

// clock returns --now, or else the time of the clock.
func (in *input) clock() time.Time {
	if in.now.IsZero() {
		return time.Now().UTC()
	}
	return in.now.UTC()
}

// load reads files and prints notes about skipped objects.
func (in *input) load(c *cobra.Command, filenames []string) (*manifest.Set, error) {
	source := in.source(c, filenames)
	source.Reading = in.progress.reading
	in.progress.doing("reading files")
	defer in.progress.done()
	if err := in.applyTo(c, &source); err != nil {
		return nil, err
	}
	set, err := manifest.Load(source)
	if err != nil {
		return nil, err
	}
	tell(c, slices.DeleteFunc(slices.Clone(set.Notes), func(note string) bool { return slices.Contains(in.told, note) }))
	in.told = set.Notes
	in.skipped += set.Skipped
	return set, nil
}

func (in *input) source(c *cobra.Command, filenames []string) manifest.Source {
	s := manifest.Source{
		Filenames: filenames, Recursive: in.recursive, Stdin: c.InOrStdin(), Nodes: int(in.nodes),
		Zones: int(min(in.zones, math.MaxInt32)), WithoutNodes: in.withoutNodes, Whole: in.whole, Keep: in.keep, Beside: in.beside,
		Packer: in.packer, Admission: in.admission,
		Waiting: func(file string) { tell(c, []string{file + ": waiting for somebody to write to this pipe"}) },
	}
	if s.Admission.PercentLimit == 0 { // in a Source 0 is the default of 50, and less allows nothing
		s.Admission.PercentLimit = -1
	}
	s.Select, s.Edit = in.chosen, in.edit
	if in.stdin != nil {
		s.Stdin = bytes.NewReader(in.stdin)
	}
	in.build(&s)
	if n := in.config.Namespace; n != nil { // as kubectl apply -n
		s.Namespace = *n
	}
	if in.serverSide && !in.live {
		s.Apply = func(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return merge.ServerSide(live, manifest, in.force)
		}
	}
	if len(filenames)+len(s.Built) == 0 && in.cluster != nil {
		s.Objects, s.Only = in.cluster.Objects, in.cluster.Targets
	}
	return s
}

// build selects the folders that kustomize builds: the folder of -k and, if that is set,
// kustomizations in --from.
func (in *input) build(s *manifest.Source) {
	if in.kustomize == "" {
		return
	}
	if len(s.Filenames) == 0 {
		s.Built = []string{in.kustomize}
		return
	}
	s.Filenames = slices.DeleteFunc(slices.Clone(s.Filenames), func(name string) bool {
		is := files.IsKustomization(name)
		if is {
			s.Built = append(s.Built, name)
		}
		return is
	})
}

// reads reports whether the user has named files.
func (in *input) reads(c *cobra.Command) bool {
	return c.Flags().Changed("filename") || c.Flags().Changed("kustomize")
}

// shownFlags are the flags of kubectl in the help text. Others are hidden but work.
var shownFlags = map[string]bool{"kubeconfig": true, "context": true, "namespace": true}

// addClusterFlags adds the flags of kubectl that choose a cluster.
func (in *input) addClusterFlags(f *pflag.FlagSet) {
	in.config = genericclioptions.NewConfigFlags(true)
	kubectl := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
	in.config.AddFlags(kubectl)
	kubectl.VisitAll(func(flag *pflag.Flag) {
		flag.Hidden = !shownFlags[flag.Name]
		f.AddFlag(flag)
	})
	f.BoolVarP(&in.inAll, "all-namespaces", "A", false, "in all namespaces")
	f.StringVarP(&in.labels, "selector", "l", "", "labels of the workloads, such as app=web")
	f.Lookup("kubeconfig").Usage = "kubeconfig file of the cluster"
	f.Lookup("context").Usage = "context of the kubeconfig file"
	f.Lookup("namespace").Usage = "namespace of the workloads, and of manifests without one"
}
