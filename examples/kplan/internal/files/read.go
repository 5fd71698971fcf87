// SPDX-License-Identifier: Apache-2.0

// Package files reads API objects from files, folders, pipes and standard input, and from
// kustomizations, in YAML and JSON, with any number of objects or lists in sequence. It holds the
// text of at most one object in memory.
package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
)

// standardInput is the name of standard input in messages.
const standardInput = "standard input"

// A Source names the places of the objects.
type Source struct {
	Names     []string // files, folders, patterns, or "-" for standard input
	Recursive bool     // whether to read the folders within folders
	Built     []string // folders that kustomize builds
	Stdin     io.Reader
	// Waiting, if set, is called with a pipe that has had no writer for a moment, while Each
	// waits.
	Waiting func(file string)
	// Absent, if set, is called with the error of a name that matches no file. Otherwise Each
	// returns that error.
	Absent func(text string)
}

// Each calls use with every object and the name of its file in messages. It returns errors of
// type [Error], or errors of use.
func (s Source) Each(use func(u *unstructured.Unstructured, file string) error) error {
	for _, folder := range s.Built {
		text, err := kustomize(folder)
		if err != nil {
			return &Error{File: folder, Err: err}
		}
		r := &reader{file: folder, use: use}
		if err := r.end(split(bytes.NewReader(text), r.add)); err != nil {
			return err
		}
	}
	for _, name := range s.Names {
		if name == "-" {
			r := &reader{file: standardInput, use: use}
			if err := r.end(split(s.Stdin, r.add)); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			return &Error{File: name, Err: errors.New("only files, folders and standard input are read")}
		}
		list, err := list(name, s.Recursive)
		if none := (*nothing)(nil); s.Absent != nil && errors.As(err, &none) {
			s.Absent(err.Error())
			continue
		}
		if err != nil {
			return err
		}
		for _, file := range list {
			if err := s.read(file, use); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Source) read(file string, use func(u *unstructured.Unstructured, file string) error) error {
	f, err := open(file, s.Waiting)
	if err != nil {
		return err
	}
	defer f.Close()
	r := &reader{file: file, use: use}
	return r.end(split(f, r.add))
}

// A reader makes objects from the parts of a file.
type reader struct {
	file  string
	use   func(u *unstructured.Unstructured, file string) error
	bare  []map[string]any // items without a kind, which the list after them has
	wrong error            // error of use
}

// end returns an error with the name of the file. It returns an error of use unchanged.
func (r *reader) end(err error) error {
	if err == nil || r.wrong != nil {
		return r.wrong
	}
	if errors.Is(err, errNoObject) && builds(r.file) {
		err = errKustomization
	}
	return &Error{File: r.file, Err: err}
}

func (r *reader) add(p part) error {
	text, err := p.text, error(nil)
	if !p.json {
		if text, err = p.asJSON(); err != nil {
			return err
		}
	}
	switch first := bytes.TrimSpace(text); {
	case string(first) == "null":
		return nil
	case first[0] != '{':
		return errNoObject
	}
	object := map[string]any{}
	twice, err := kjson.UnmarshalStrict(text, &object, kjson.DisallowDuplicateFields)
	if err != nil {
		return err
	}
	if len(twice) > 0 {
		return cmp.Or(p.repeated(), twice[0])
	}
	if kind, _ := object["kind"].(string); kind == "" && p.item {
		r.bare = append(r.bare, object)
		return nil
	}
	return r.object(object, p.line)
}

// object calls use with an object, or with the items of a list.
func (r *reader) object(object map[string]any, line int) error {
	kind, _ := object["kind"].(string)
	items, isList := object["items"].([]any)
	switch {
	case kind == "":
		return fmt.Errorf("%w; that of line %d has no kind", errNoObject, line)
	case !isList:
		r.wrong = r.use(&unstructured.Unstructured{Object: object}, r.file)
		return r.wrong
	}
	for _, bare := range r.bare {
		items = append(items, bare)
	}
	r.bare = nil
	for _, item := range items {
		o, ok := item.(map[string]any)
		if !ok {
			return errNoObject
		}
		if o["kind"] == nil && strings.HasSuffix(kind, "List") && kind != "List" {
			o["kind"], o["apiVersion"] = strings.TrimSuffix(kind, "List"), object["apiVersion"]
		}
		if err := r.object(o, line); err != nil {
			return err
		}
	}
	return nil
}
