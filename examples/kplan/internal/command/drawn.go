// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A drawn document is one as it is written, in one format. What it was made of takes much
// more memory, and there may be thousands, of which most are alike.
type drawn struct {
	subject view.Subject
	drives  *view.Subject // of a Rollout; nil for others
	text    packed.Text
	packer  *packed.Packer
}

// A drawnAnswer also tells its answer in a word.
type drawnAnswer struct {
	drawn
	verdict view.Verdict
}

// drawn draws a document that speaks for one object as the command will write it.
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

// A drawing is the documents of a command, each drawn as soon as it is there.
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

// drawText returns what a command will write.
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

// Subject returns what the document is about.
func (d drawn) Subject() view.Subject { return d.subject }

// Drives returns what the object of the document drives.
func (d drawn) Drives() (driven view.Subject) {
	if d.drives != nil {
		driven = *d.drives
	}
	return driven
}

// Verdict returns what the document tells.
func (d drawnAnswer) Verdict() view.Verdict { return d.verdict }

// Text writes the document, which is escaped already.
func (d drawn) Text(w *terminal.Writer) {
	text, _ := d.packer.Unpack(d.text) // which was packed here
	_, _ = w.Trusted().Write(text)     // the writer holds the error
}

// MarshalJSON returns the document.
func (d drawn) MarshalJSON() ([]byte, error) { return d.packer.Unpack(d.text) }
