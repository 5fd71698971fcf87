// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/rollout/workload"
)

// The answers are the results of simulations. They keep only the output of each one if possible:
// the simulation takes much more memory, and there may be thousands.
type answers struct {
	all       bool      // whether to keep the outcomes
	outcomes  []outcome // for pictures, and formats of steps
	documents []document
	end       error // error of the first rollout that does not finish
}

func (a *answers) add(c *cobra.Command, s *simulation, o outcome) error {
	if o.err != nil {
		return o.err
	}
	a.end = cmp.Or(a.end, unfinished(o))
	if a.all {
		a.outcomes = append(a.outcomes, o)
		return nil
	}
	d, err := s.drawn(c, s.charted(o))
	a.documents = append(a.documents, d)
	return err
}

// show writes the results to standard output, unless one of the other files goes there.
func (s *simulation) show(c *cobra.Command, results *answers) error {
	alone, err := s.toStdout()
	switch {
	case err != nil || alone:
		return err
	case s.output != csvFormat:
		for _, o := range results.outcomes {
			results.documents = append(results.documents, s.charted(o))
		}
		return write(c, s.output, results.documents)
	}
	list, err := timelines(results.outcomes)
	if err != nil {
		return err
	}
	w := terminal.NewWriter(c.OutOrStdout())
	return errors.Join(timeline.CSV(w.Trusted(), list), w.Err()) // CSV escapes
}

// An answer is a document with a verdict.
type answer interface {
	document
	judged
}

// A charted answer draws its chart after its text, on a terminal.
type charted struct {
	answer
	draw func(*terminal.Writer)
}

// Text writes the answer and then draws the chart.
func (c charted) Text(w *terminal.Writer) {
	c.answer.Text(w)
	w.Printf("\n")
	c.draw(w)
}

// charted returns an answer with its chart if the user wants it. It returns an answer that always
// has a chart as it is.
func (s *simulation) charted(o outcome) document {
	answer, ok := o.result.(answer)
	d, draws := o.result.(interface{ Draw(*terminal.Writer) })
	if of, ok := o.result.(interface{ Drawn() bool }); ok && of.Drawn() {
		return o.result
	}
	if !s.chart || !ok || !draws || s.output != "text" && s.output != "wide" {
		return o.result
	}
	return charted{answer, d.Draw}
}

// An outcome is a simulated rollout with its workload, or an error.
type outcome struct {
	result rolled
	of     subject
	err    error
}

// A rolled document is a simulated rollout. Unfinished returns the reason why it did not finish,
// or "".
type rolled interface {
	document
	Unfinished() string
}

// A subject is an object with a rollout.
type subject interface {
	ID() manifest.ID
	Invalid(error) error
}

// unfinished returns an error if a rollout did not finish.
func unfinished(o outcome) error {
	if text := o.result.Unfinished(); text != "" {
		return o.of.Invalid(errors.New(text))
	}
	return nil
}

// outcomes simulates all workloads in one cluster and calls use for each outcome. An error of one
// workload is in its outcome. An error of use ends the calls.
func (s *simulation) outcomes(c *cobra.Command, set *manifest.Set, from *earlier, use func(outcome) error) error {
	defer s.progress.done()
	if s.asked() {
		return s.comparisons(c, set, from, use)
	}
	all := s.jobs(c, set, from)
	beside := s.besides(set, from)
	s.together(slices.Concat(all, beside))
	for _, j := range beside {
		if j.err != nil {
			tell(c, []string{"not looked at: " + j.err.Error()})
		}
	}
	for _, j := range all {
		if err := use(outcome{j.result, j.of, j.err}); err != nil {
			return err
		}
	}
	return nil
}

// jobs returns the simulation of each workload in the answer.
func (s *simulation) jobs(c *cobra.Command, set *manifest.Set, from *earlier) (all []*job) {
	add := func(of subject, j *job, err error) {
		if err != nil {
			j = &job{err: err}
		}
		j.of = of
		all = append(all, j)
	}
	for i := range set.Argo {
		r := &set.Argo[i]
		old := from.argo[r.Key()]
		s.startsFromNothing(c, old == nil, r.File, r.Name())
		j, err := s.ofArgo(r, old)
		add(r, j, err)
	}
	for i := range set.Rollouts {
		r := &set.Rollouts[i]
		j, err := s.ofRelease(r, from)
		add(r, j, err)
	}
	for i := range set.Workloads {
		w := &set.Workloads[i]
		if isReleased(w, set.Rollouts) {
			continue
		}
		j, err := s.ofDeployment(w, s.opened(c, w, from))
		add(w, j, err)
	}
	for i := range set.ReplicaSets {
		r := &set.ReplicaSets[i]
		old := from.replicaSets[r.Key()]
		s.startsFromNothing(c, old == nil, r.File, r.Name())
		j, err := s.ofReplicaSet(r, old)
		add(r, j, err)
	}
	for i := range set.DaemonSets {
		d := &set.DaemonSets[i]
		if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Runs(d) }) {
			continue
		}
		old := from.daemonSets[d.Key()]
		s.startsFromNothing(c, old == nil, d.File, d.Name())
		j, err := s.ofDaemonSet(d, old)
		add(d, j, err)
	}
	return all
}

// together simulates jobs in one cluster, except jobs with a separate cluster.
func (s *simulation) together(all []*job) {
	var jobs []*job
	for _, j := range all {
		if !j.apart {
			jobs = append(jobs, j)
			continue
		}
		s.progress.doing("simulating %s", j.of.ID().Name)
		s.simulate(&s.policies, []*job{j})
	}
	if len(jobs) == 1 {
		s.progress.doing("simulating %s", describe(jobs[0].of))
	} else {
		s.progress.doing("simulating %d workloads", len(jobs))
	}
	s.simulate(&s.policies, jobs)
}

// describe returns the kind and the name of a workload, for messages.
func describe(of subject) string { return fmt.Sprintf("%s %q", of.ID().Kind, of.ID().Name) }

// opened opens a Deployment and the Deployment that runs before it. It returns the latter, or
// nil.
func (s *simulation) opened(c *cobra.Command, w *manifest.Workload, from *earlier) *manifest.Workload {
	w.Open()
	if w.Deployment.Annotations[workload.AnnotationInProgress] != "" {
		tell(c, []string{fmt.Sprintf("%s: %s is released by a Rollout that is not in the input, and goes only as far as that has let it", w.File, w.Name())})
	}
	old := from.deployments[w.Key()]
	s.startsFromNothing(c, old == nil, w.File, w.Name())
	if old != nil {
		old.Open()
	}
	return old
}

// comparisons compares strategies of each Deployment, each in a separate cluster.
func (s *simulation) comparisons(c *cobra.Command, set *manifest.Set, from *earlier, use func(outcome) error) error {
	for i := range set.Workloads {
		w := &set.Workloads[i]
		old := s.opened(c, w, from)
		s.progress.doing("simulating %s (%d of %d)", w.Name(), i+1, len(set.Workloads))
		result, err := s.compare(w, old)
		if err := use(outcome{result, w, err}); err != nil {
			return err
		}
		if w.Drop(); old != nil {
			old.Drop()
		}
	}
	return nil
}

// startsFromNothing notes that a workload is not in the files of --from, unless the answer itself
// says that it is new.
func (s *simulation) startsFromNothing(c *cobra.Command, does bool, file, name string) {
	if does && len(s.from) > 0 && !s.whole {
		tell(c, []string{fmt.Sprintf("%s: %s is not in the files of --from and starts from nothing", file, name)})
	}
}

// isReleased reports whether a Rollout releases the Deployment.
func isReleased(w *manifest.Workload, rollouts []manifest.Rollout) bool {
	return slices.ContainsFunc(rollouts, func(r manifest.Rollout) bool { return r.Releases(w) })
}

// A drawn document is the output of a document in one format. It takes much less memory than the
// document: there may be thousands, most with the same text.
type drawn struct {
	subject view.Subject
	drives  *view.Subject // of a Rollout; nil for others
	text    packed.Text
	packer  *packed.Packer
}

// A drawnAnswer is a drawn document with a verdict.
type drawnAnswer struct {
	drawn
	verdict view.Verdict
}

// drawn draws a document about one object in the output format of the command. It returns other
// documents unchanged.
func (in *input) drawn(c *cobra.Command, d document) (document, error) {
	n, ok := d.(named)
	if !ok {
		return d, nil
	}
	result := drawn{subject: n.Subject(), packer: in.packer}
	if r, ok := d.(driver); ok {
		result.drives = new(r.Drives())
	}
	text, err := drawText(c, in.output, d)
	result.text = in.packer.Pack("drawn", text)
	if j, ok := d.(judged); ok {
		return drawnAnswer{result, j.Verdict()}, err
	}
	return result, err
}

// A drawing is the documents of a command, each drawn when it is added.
type drawing struct {
	in        *input
	c         *cobra.Command
	documents []document
}

// add draws one more document, unless it comes with an error.
func (l *drawing) add(d document, err error) error {
	if err == nil {
		d, err = l.in.drawn(l.c, d)
	}
	if err == nil {
		l.documents = append(l.documents, d)
	}
	return err
}

// drawText returns the output of the command for a document.
func drawText(c *cobra.Command, format outputFormat, d document) ([]byte, error) {
	switch format {
	case "name":
		return nil, nil
	case "json", "yaml":
		return view.Marshal(d)
	}
	var text bytes.Buffer
	w := terminal.NewWriter(c.OutOrStdout()).To(&text)
	if format == "wide" {
		w.Within(0)
	}
	d.Text(w)
	return text.Bytes(), w.Err()
}

// Subject returns the subject of the document.
func (d drawn) Subject() view.Subject { return d.subject }

// Drives returns the workload that a Rollout drives, the zero Subject for others.
func (d drawn) Drives() (driven view.Subject) {
	if d.drives != nil {
		driven = *d.drives
	}
	return driven
}

// Verdict returns the verdict of the document.
func (d drawnAnswer) Verdict() view.Verdict { return d.verdict }

// Text writes the document. Its text is escaped already.
func (d drawn) Text(w *terminal.Writer) {
	text, _ := d.packer.Unpack(d.text) // packed by drawn
	_, _ = w.Trusted().Write(text)     // the writer holds the error
}

// MarshalJSON returns the document.
func (d drawn) MarshalJSON() ([]byte, error) { return d.packer.Unpack(d.text) }
