// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// maxReplicas is the largest number of replicas in a simulation.
const maxReplicas = 100_000

// epoch is the present for files without any time.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// checkTemplates rejects ReplicaSets that do not select their own pods, as the API server does:
// they would create pods forever.
func checkTemplates(file string, sets []replicaset.ReplicaSet) error {
	for i := range sets {
		rs := &sets[i]
		if matches, err := selector.FromLabelSelector(rs.Selector); rs.Selector != nil && err == nil && !matches.Matches(rs.TemplateLabels) {
			return &manifest.Error{File: file, Object: fmt.Sprintf("ReplicaSet %q", rs.Name), Err: &kplan.FieldError{
				Path: "spec.template.metadata.labels", Value: rs.TemplateLabels, Detail: "must match the selector",
			}}
		}
	}
	return nil
}

// latest returns the latest time in the objects, the best estimate of the time when they were
// read.
func latest(w *manifest.Workload) time.Time {
	last := epoch
	for _, c := range w.Deployment.Status.Conditions {
		last = later(later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, rs := range w.ReplicaSets {
		last = later(last, rs.CreationTimestamp.Time)
	}
	return latestOf(last, w.Pods)
}

// latestOf returns the latest of a time and the times of pods.
func latestOf(last time.Time, pods []*corev1.Pod) time.Time {
	last = later(epoch, last)
	for _, p := range pods {
		last = later(last, p.CreationTimestamp.Time)
		for _, c := range p.Status.Conditions {
			last = later(last, c.LastTransitionTime.Time)
		}
	}
	return last.UTC()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// imagesOf returns the images of the containers of each template.
func imagesOf(workloads ...*manifest.Workload) map[string]string {
	byTemplate := map[string]string{}
	for _, w := range workloads {
		if w == nil {
			continue
		}
		byTemplate[kube.TemplateID(&w.Deployment.Spec.Template)] = images(&w.Deployment.Spec.Template)
		for _, rs := range w.ReplicaSets {
			byTemplate[kube.TemplateID(&rs.Spec.Template)] = images(&rs.Spec.Template)
		}
	}
	return byTemplate
}

func images(t *corev1.PodTemplateSpec) string {
	var names []string
	for i := range t.Spec.Containers {
		names = append(names, t.Spec.Containers[i].Image)
	}
	return strings.Join(names, ", ")
}

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
	live.Tell = func(text string) { tell(c, []string{text}) }
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

// discovery is the message of the libraries if no server answers. The command returns the same
// error.
const discovery = "Couldn't get current server API group list"

// Libraries makes the libraries of Kubernetes write errors and warnings of servers to stderr as
// notes, escaped and each once. By default they log them unescaped. Only main may call it,
// because it changes global variables.
func Libraries(stderr io.Writer) {
	n := &notices{out: stderr, told: map[string]bool{}}
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{
		func(_ context.Context, err error, message string, _ ...any) {
			if message == discovery {
				return
			}
			if err != nil {
				message = err.Error()
			}
			n.tell(message)
		},
	}
	rest.SetDefaultWarningHandler(n)
}

// The notices are the messages that were written already.
type notices struct {
	mu   sync.Mutex
	out  io.Writer
	told map[string]bool
}

// HandleWarningHeader writes a warning of a server. Like the libraries, it ignores codes other
// than 299.
func (n *notices) HandleWarningHeader(code int, _ string, message string) {
	if code == 299 && message != "" {
		n.tell(message)
	}
}

func (n *notices) tell(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.told[text] {
		n.told[text] = true
		terminal.NewWriter(n.out).Printf("note: %s\n", text)
	}
}
