// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A drawn document is one as it is written, in one format. What it was made of takes much
// more memory, and there may be thousands.
type drawn struct {
	subject view.Subject
	drives  view.Subject // of a Rollout; none for others
	text    []byte
}

// A drawnAnswer also tells its answer in a word.
type drawnAnswer struct {
	drawn
	verdict view.Verdict
}

// draw draws a document that speaks for one object as a command will write it.
func draw(c *cobra.Command, format outputFormat, d document) (document, error) {
	n, ok := d.(named)
	if !ok {
		return d, nil
	}
	result := drawn{subject: n.Subject()}
	if r, ok := d.(driver); ok {
		result.drives = r.Drives()
	}
	text, err := drawText(c, format, d)
	result.text = text
	if j, ok := d.(judged); ok {
		return drawnAnswer{result, j.Verdict()}, err
	}
	return result, err
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
	return bytes.Clone(text.Bytes()), w.Err()
}

// Subject returns what the document is about.
func (d drawn) Subject() view.Subject { return d.subject }

// Drives returns what the object of the document drives.
func (d drawn) Drives() view.Subject { return d.drives }

// Verdict returns what the document tells.
func (d drawnAnswer) Verdict() view.Verdict { return d.verdict }

// Text writes the document, which is escaped already.
func (d drawn) Text(w *terminal.Writer) { _, _ = w.Trusted().Write(d.text) } // the writer holds the error

// MarshalJSON returns the document.
func (d drawn) MarshalJSON() ([]byte, error) { return json.RawMessage(d.text), nil }
