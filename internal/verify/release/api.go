// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"
)

// api compares the exported names of the checkout with the newest version. The error lists
// names that importers would lose and the changelog does not mention.
func api(root string) (string, error) {
	tags, err := git(root, "tag", "--list", "v*")
	if err != nil {
		return "", err
	}
	newest := newestOf(strings.Fields(tags))
	if newest == "" {
		if shallow, err := git(root, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(shallow) == "true" {
			return "a shallow clone has no tags, so nothing is compared; git fetch --unshallow --tags\n", err
		}
		return "no version yet, so nobody loses anything\n", nil
	}
	old, err := os.MkdirTemp("", "kplan-"+newest+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(old)
	if err := checkOut(root, newest, old); err != nil {
		return "", err
	}
	lost, err := losses(old, root)
	if err != nil {
		return "", err
	}
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	return verdict(newest, lost, pending(string(changes)))
}

func newestOf(tags []string) string {
	newest := ""
	for _, tag := range tags {
		if semver.Compare(tag, newest) > 0 {
			newest = tag
		}
	}
	return newest
}

// checkOut writes the files of a version into an empty folder.
func checkOut(root, tag, dir string) error {
	archive := filepath.Join(dir, "version.tar")
	if _, err := git(root, "archive", "--output", archive, tag); err != nil {
		return err
	}
	defer os.Remove(archive)
	c := exec.Command("tar", "-x", "-f", archive, "-C", dir)
	c.Stderr = os.Stderr
	return c.Run()
}

// A loss is an exported name that is removed or changed incompatibly.
type loss struct{ name, text string }

// losses returns the exported names of the old tree that the new one lacks, or has with
// another meaning.
func losses(old, new string) ([]loss, error) {
	before, err := importable(old)
	if err != nil {
		return nil, err
	}
	after, err := importable(new)
	if err != nil {
		return nil, err
	}
	var lost []loss
	for _, path := range slices.Sorted(maps.Keys(before)) {
		name := before[path].Name
		there, ok := after[path]
		if !ok {
			lost = append(lost, loss{name, "package " + path + ": removed"})
			continue
		}
		for _, change := range apidiff.Changes(before[path].Types, there.Types).Changes {
			if !change.Compatible {
				symbol, _, _ := strings.Cut(change.Message, ":")
				lost = append(lost, loss{name + "." + strings.NewReplacer("(*", "", ")", "", "./", "").Replace(symbol), change.Message})
			}
		}
	}
	return lost, nil
}

// importable returns the packages of the published modules that others can import, by path.
func importable(root string) (map[string]*packages.Package, error) {
	list, err := published(root)
	if err != nil {
		return nil, err
	}
	work, err := filepath.Abs(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, err
	}
	found := map[string]*packages.Package{}
	for _, f := range list {
		config := &packages.Config{
			Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps,
			Dir:  filepath.Join(root, filepath.FromSlash(f.dir)), Env: append(os.Environ(), "GOWORK="+work),
		}
		loaded, err := packages.Load(config, "./...")
		if err != nil {
			return nil, err
		}
		for _, p := range loaded {
			if len(p.Errors) > 0 {
				return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
			}
			if p.Name != "main" && !slices.Contains(strings.Split(p.PkgPath, "/"), "internal") {
				found[p.PkgPath] = p
			}
		}
	}
	return found, nil
}

// pending returns the section of the changelog for the next version.
func pending(changes string) string {
	_, after, _ := strings.Cut(changes, unreleased+"\n")
	section, _, _ := strings.Cut(after, "\n## ")
	return section
}

// verdict fails if the changelog does not contain `package.Name` for some loss.
func verdict(newest string, lost []loss, changes string) (string, error) {
	var silent []string
	for _, l := range lost {
		if !strings.Contains(changes, "`"+l.name+"`") {
			silent = append(silent, "`"+l.name+"`: "+l.text)
		}
	}
	if len(silent) > 0 {
		return "", fmt.Errorf("lost since %s, and CHANGELOG.md does not name it below %q:\n%s", newest, unreleased, strings.Join(silent, "\n"))
	}
	return fmt.Sprintf("%d changes since %s that importers notice, each named in CHANGELOG.md\n", len(lost), newest), nil
}
