// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// core is the path of the module at the root; the others are below it.
const core = "github.com/kplan-go/kplan"

// A folder holds a module.
type folder struct {
	dir  string // below the root, with slashes; "" is the root
	file *modfile.File
}

// path returns the path of the module.
func (f folder) path() string { return f.file.Module.Mod.Path }

// tag returns the tag that publishes a version of the module.
func (f folder) tag(version string) string { return path.Join(f.dir, version) }

// ours returns the required modules of this repository, with their versions.
func (f folder) ours() map[string]string {
	required := map[string]string{}
	for _, r := range f.file.Require {
		if isOurs(r.Mod.Path) {
			required[r.Mod.Path] = r.Mod.Version
		}
	}
	return required
}

func isOurs(path string) bool { return path == core || strings.HasPrefix(path, core+"/") }

// published returns the modules for users, each after the ones that it requires: all but
// the ones below internal. A replace is an error, because it holds in the main module only,
// so that the module could not be installed.
func published(root string) ([]folder, error) {
	var found []folder
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "internal", "testdata"}, entry.Name()):
			return fs.SkipDir
		case entry.Name() != "go.mod":
			return nil
		}
		f, err := read(root, name)
		if err == nil && len(f.file.Replace) > 0 {
			err = fmt.Errorf("%s has a replace, so that it cannot be installed", name)
		}
		found = append(found, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sorted(found)
}

func read(root, name string) (folder, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return folder{}, err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return folder{}, err
	}
	dir, err := filepath.Rel(root, filepath.Dir(name))
	if dir == "." {
		dir = ""
	}
	f := folder{dir: filepath.ToSlash(dir), file: file}
	if want := path.Join(core, f.dir); err == nil && f.path() != want {
		err = fmt.Errorf("%s: the module is called %s, not %s", name, f.path(), want)
	}
	return f, err
}

// sorted returns the modules so that each comes after the ones that it requires.
func sorted(found []folder) ([]folder, error) {
	var list []folder
	done := map[string]bool{}
	for len(list) < len(found) {
		before := len(list)
		for _, f := range found {
			if done[f.path()] || !allIn(done, f.ours()) {
				continue
			}
			done[f.path()] = true
			list = append(list, f)
		}
		if len(list) == before {
			return nil, fmt.Errorf("modules require each other in a circle, or one that is not there")
		}
	}
	return list, nil
}

func allIn(done map[string]bool, required map[string]string) bool {
	for path := range required {
		if !done[path] {
			return false
		}
	}
	return true
}
