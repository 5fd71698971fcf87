// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// cluster stands for a file name in messages about [Source.Objects].
const cluster = "cluster"

// A source is an object and the name of its file.
type source[T any] struct {
	object *T
	file   string
}

// An Error is bad input: its place, and the problem.
type Error = files.Error

func describe(kind, name string) string { return fmt.Sprintf("%s %q", kind, name) }

// names has the file of each name: an object of a kind has a name alone.
type names map[string]string

// take returns an error if a name is taken, and takes it.
func (n names) take(name, file string) error {
	if first, ok := n[name]; ok {
		return fmt.Errorf("there is one of this name already, in %s", first)
	}
	n[name] = file
	return nil
}

// passedOver returns an error that names the first of the objects that were passed over.
func passedOver(text string, notes []string) error {
	switch {
	case len(notes) == 1:
		text += "; " + notes[0]
	case len(notes) > 1:
		text += fmt.Sprintf("; %s (and %d more)", notes[0], len(notes)-1)
	}
	return errors.New(terminal.Escape(text)) // a kind may hold any characters
}
