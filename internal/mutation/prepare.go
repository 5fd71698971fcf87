//go:build unix

package main

import (
	"encoding/json"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A table gives the number of each mutant that the binary of a package holds, or says
// that it does not compile.
type table map[string]int

const doesNotCompile = 0

func readTable(dir, name string) (t table, err error) {
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		return nil, err
	}
	return t, json.Unmarshal(text, &t)
}

// prepare compiles the tests of a package together with all mutants of it, one of
// which is chosen when the binary starts. That saves a compilation for each. A
// mutant is left out if it cannot be chosen at run time: in a constant, for example.
func (s setup) prepare(name string) error {
	dir := filepath.Join(s.source, name)
	imports, err := s.exports(dir)
	if err != nil {
		return err
	}
	p, err := parseSchema(dir, imports)
	if err != nil {
		return err
	}
	overlay, err := p.overlay(dir, filepath.Join(s.dir, name+".overlay"))
	if err != nil {
		return err
	}
	if err := s.run(dir, s.golang, "test", "-vet=off", "-overlay", overlay, "-c", "-o", s.binary(name), "."); err != nil {
		return err
	}
	text, err := json.Marshal(p.table)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, name+".json"), text, 0o666); err != nil {
		return err
	}
	return s.measure(name)
}

// exports returns the compiled packages that a package needs.
func (s setup) exports(dir string) (types.Importer, error) {
	cmd := exec.Command(s.golang, "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".", "os", "strconv")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), nil
}
