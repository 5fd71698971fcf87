// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// release writes the versions, sums and changelog of a release into the checkout and
// returns the next steps. The version and the changelog are checked before the first file
// is written. The sums of a module cover the modules before it, as they will be served.
func release(root, version string, tags []string, now time.Time, tidy func(dir, proxy string) error) (string, error) {
	list, err := published(root)
	if err != nil {
		return "", err
	}
	if err := checkVersion(version, list, tags); err != nil {
		return "", err
	}
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	dated, err := date(string(changes), version, now)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(root, "CHANGELOG.md"), []byte(dated), 0o644); err != nil {
		return "", err
	}
	if err := requireAll(root, version); err != nil {
		return "", err
	}
	proxy, err := os.MkdirTemp("", "kplan-proxy-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(proxy)
	for _, f := range list {
		if err := tidy(filepath.Join(root, filepath.FromSlash(f.dir)), proxy); err != nil {
			return "", fmt.Errorf("%s: %w", f.path(), err)
		}
		if err := pack(root, proxy, f, version); err != nil {
			return "", err
		}
	}
	return next(version, list), nil
}

// checkVersion rejects a version that is malformed, tagged already, or older than the
// newest tag.
func checkVersion(version string, list []folder, tags []string) error {
	if semver.Canonical(version) != version || semver.Major(version) > "v1" {
		return fmt.Errorf("%q is no version such as v0.2.0", version)
	}
	for _, f := range list {
		if slices.Contains(tags, f.tag(version)) {
			return fmt.Errorf("the tag %s is there already", f.tag(version))
		}
	}
	for _, tag := range tags {
		if semver.IsValid(tag) && semver.Compare(tag, version) > 0 {
			return fmt.Errorf("%s is newer than %s", tag, version)
		}
	}
	return nil
}

// unreleased is the heading of the changes for the next version.
const unreleased = "## Unreleased"

var item = regexp.MustCompile(`(?m)^- `)

// date moves the unreleased changes below a heading with the version and the day.
func date(changes, version string, now time.Time) (string, error) {
	before, after, found := strings.Cut(changes, unreleased+"\n")
	section, _, _ := strings.Cut(after, "\n## ")
	if !found || !item.MatchString(section) {
		return "", fmt.Errorf("CHANGELOG.md says nothing below %q", unreleased)
	}
	return before + unreleased + "\n\n## " + version + " (" + now.UTC().Format(time.DateOnly) + ")\n" + after, nil
}

// requireAll updates the required version of this repository in every module of the
// checkout, and in the workspace.
func requireAll(root, version string) error {
	names, err := filepath.Glob(filepath.Join(root, "internal", "verify", "*", "go.mod"))
	if err != nil {
		return err
	}
	list, err := published(root)
	if err != nil {
		return err
	}
	for _, f := range list {
		names = append(names, filepath.Join(root, filepath.FromSlash(f.dir), "go.mod"))
	}
	for _, name := range names {
		if err := requireIn(root, name, version); err != nil {
			return err
		}
	}
	return joinAll(filepath.Join(root, "go.work"), version)
}

func requireIn(root, name, version string) error {
	f, err := read(root, name)
	if err != nil {
		return err
	}
	for path := range f.ours() {
		if err := f.file.AddRequire(path, version); err != nil {
			return err
		}
	}
	text, err := f.file.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// joinAll makes the workspace replace this version by the checkout.
func joinAll(name, version string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return err
	}
	for _, r := range work.Replace {
		for i, word := range r.Syntax.Token {
			if word == r.Old.Version {
				r.Syntax.Token[i] = version
			}
		}
	}
	return os.WriteFile(name, modfile.Format(work.Syntax), 0o644)
}

// next returns the steps that are left to do by hand: review, commit, and push the tags.
// All tags name the same commit; the tag of a module is pushed after the tags of the
// modules that it requires.
func next(version string, list []folder) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Versions, sums and the changelog are written. Look at them, then:\n\n")
	fmt.Fprintf(&b, "git commit --all --message 'Release %s'\n", version)
	fmt.Fprintf(&b, ".ci/run\n")
	for _, f := range list {
		fmt.Fprintf(&b, "git tag %s\n", f.tag(version))
	}
	fmt.Fprintf(&b, "git push origin main\n")
	for _, f := range list {
		fmt.Fprintf(&b, "git push origin %s\n", f.tag(version))
	}
	return b.String()
}
