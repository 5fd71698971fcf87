// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

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
func (in *input) drawn(c *cobra.Command, d subject.Document) (subject.Document, error) {
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
	documents []subject.Document
}

// add draws one more document, unless it comes with an error.
func (l *drawing) add(d subject.Document, err error) error {
	if err == nil {
		d, err = l.in.drawn(l.c, d)
	}
	if err == nil {
		l.documents = append(l.documents, d)
	}
	return err
}

// drawText returns the output of the command for a document.
func drawText(c *cobra.Command, format outputFormat, d subject.Document) ([]byte, error) {
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
