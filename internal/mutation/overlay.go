//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
)

type position struct {
	name string
	line int
}

// check returns the lines with errors. Edits keep the number of lines.
func (s *schema) check() map[position]bool {
	fset, bad := token.NewFileSet(), map[position]bool{}
	report := func(p token.Position) { bad[position{p.Filename, p.Line}] = true }
	var files []*ast.File
	for i, name := range s.names {
		file, err := parser.ParseFile(fset, name, s.edited(i), parser.SkipObjectResolution)
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				report(e.Pos)
			}
		}
		files = append(files, file)
	}
	if len(bad) > 0 {
		return bad
	}
	extra, _ := parser.ParseFile(fset, switchFile, s.switchSource(), 0)
	conf := types.Config{Importer: s.imports, Error: func(err error) {
		if e, ok := err.(types.Error); ok {
			report(fset.Position(e.Pos))
		}
	}}
	conf.Check(s.path, fset, append(files, extra), nil)
	return bad
}

// edited returns a file with its edits.
func (s *schema) edited(file int) []byte {
	var edits []edit
	for _, e := range s.edits {
		if e.file == file {
			edits = append(edits, e)
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.class(), b.class()), a.sooner(b))
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(s.source[file][at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(s.source[file][at:])
	return out.Bytes()
}

// class orders what happens at one place: first what was opened before is closed,
// then something is opened, then text is replaced.
func (e edit) class() int {
	switch {
	case e.from != e.to:
		return 2
	case e.closing:
		return 0
	}
	return 1
}

// sooner orders edits of one class: outer operators are found before inner ones,
// which close first.
func (e edit) sooner(other edit) int {
	if e.class() == 0 {
		return other.number - e.number
	}
	return e.number - other.number
}

const switchFile = "mutation_switch.go"

func (s *schema) switchSource() string {
	return fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar %s, _ = strconv.Atoi(os.Getenv(%q))\n",
		s.files[0].Name.Name, switchName, variable)
}

// overlay writes the edited files to a folder and returns the file that tells the go
// command to take them instead of the package's.
func (s *schema) overlay(dir, to string) (string, error) {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return "", err
	}
	replace := map[string]string{}
	write := func(name string, text []byte) error {
		replace[filepath.Join(dir, name)] = filepath.Join(to, name)
		return os.WriteFile(filepath.Join(to, name), text, 0o666)
	}
	for i, name := range s.names {
		if err := write(name, s.edited(i)); err != nil {
			return "", err
		}
	}
	if err := write(switchFile, []byte(s.switchSource())); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(to, "overlay.json")
	return list, os.WriteFile(list, text, 0o666)
}
