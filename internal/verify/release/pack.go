// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// packAll writes every module for users into a proxy folder, each as the version by which
// the others require it.
func packAll(root, proxy string) error {
	list, err := published(root)
	if err != nil {
		return err
	}
	version, err := required(list)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := pack(root, proxy, f, version); err != nil {
			return err
		}
		fmt.Println(f.path(), version)
	}
	return nil
}

// required returns the one version by which the modules require each other.
func required(list []folder) (string, error) {
	version := ""
	for _, f := range list {
		for path, v := range f.ours() {
			if version == "" {
				version = v
			}
			if v != version {
				return "", fmt.Errorf("%s requires %s %s, others %s", f.path(), path, v, version)
			}
		}
	}
	if version == "" {
		return "", fmt.Errorf("no module requires another: the version is not known")
	}
	return version, nil
}

// pack writes one version of a module into a folder that serves as a GOPROXY.
func pack(root, proxy string, f folder, version string) error {
	escaped, err := module.EscapePath(f.path())
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{Version: version})
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.dir), "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	files, err := contents(root, f)
	if err == nil {
		err = zip.Create(out, module.Version{Path: f.path(), Version: version}, files)
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

// contents returns the files of a module as the Go command takes them from a repository:
// without nested modules, without ignored files, and with the LICENSE of the root if the
// module has none.
func contents(root string, f folder) ([]zip.File, error) {
	top := filepath.Join(root, filepath.FromSlash(f.dir))
	list, err := git(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var files []zip.File
	licensed := false
	for below := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		name := filepath.Join(top, filepath.FromSlash(below))
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || inModule(top, path.Dir(below)) {
			continue
		}
		licensed = licensed || below == "LICENSE"
		files = append(files, source{below, name})
	}
	if !licensed {
		files = append(files, source{"LICENSE", filepath.Join(root, "LICENSE")})
	}
	return files, nil
}

// inModule reports whether a folder below the top of a module belongs to another module.
func inModule(top, below string) bool {
	for ; below != "."; below = path.Dir(below) {
		if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(below), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// A source is a file of a module.
type source struct {
	below string // its path in the module
	name  string // its path on disk
}

func (s source) Path() string                 { return s.below }
func (s source) Lstat() (os.FileInfo, error)  { return os.Lstat(s.name) }
func (s source) Open() (io.ReadCloser, error) { return os.Open(s.name) }
