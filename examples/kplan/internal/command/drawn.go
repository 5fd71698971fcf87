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
	judged
	text []byte
}

// draw draws a document that speaks for one object as a command will write it.
func draw(c *cobra.Command, format outputFormat, d interface {
	document
	judged
}) (document, error) {
	subject := verdict{d.Subject(), d.Verdict()}
	if format == "json" || format == "yaml" {
		text, err := view.Marshal(d)
		return drawn{subject, text}, err
	}
	var text bytes.Buffer
	w := terminal.NewWriter(c.OutOrStdout()).To(&text)
	if format == "wide" {
		w.Within(0)
	}
	d.Text(w)
	return drawn{subject, text.Bytes()}, w.Err()
}

// Text writes the document, which is escaped already.
func (d drawn) Text(w *terminal.Writer) { _, _ = w.Trusted().Write(d.text) } // the writer holds the error

// MarshalJSON returns the document.
func (d drawn) MarshalJSON() ([]byte, error) { return json.RawMessage(d.text), nil }

// A verdict is what is left of a document for summaries.
type verdict struct {
	subject view.Subject
	verdict view.Verdict
}

func (v verdict) Subject() view.Subject { return v.subject }
func (v verdict) Verdict() view.Verdict { return v.verdict }
