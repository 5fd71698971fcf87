// SPDX-License-Identifier: Apache-2.0

// Command release packs, releases and checks the modules of this checkout.
//
//	go run . pack DIR       every module as a version, in a folder that serves as a GOPROXY
//	go run . make VERSION   versions and sums of a release in the checkout, and commands to push it
//	go run . sbom FILE      checks a bill of materials of a program against NOTICE
//	go run . api            names that importers of the newest version would lose, unless in CHANGELOG.md
//
// It runs in internal/verify/release of the checkout.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// root is the path from the folder of the command to the checkout.
const root = "../../.."

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "api" {
		text, err := api(root)
		fmt.Print(text)
		return err
	}
	if len(args) != 2 {
		return fmt.Errorf("usage: pack DIR, make VERSION, sbom FILE, or api")
	}
	switch args[0] {
	case "pack":
		return packAll(root, args[1])
	case "sbom":
		modules, err := sbom(root, args[1])
		if err == nil {
			fmt.Printf("%d modules, each with its licence in NOTICE\n", modules)
		}
		return err
	case "make":
		tags, err := git(root, "tag", "--list")
		if err != nil {
			return err
		}
		changed, err := git(root, "status", "--porcelain")
		if err != nil {
			return err
		}
		if changed != "" {
			return fmt.Errorf("the checkout has changes that are not committed:\n%s", changed)
		}
		text, err := release(root, args[1], strings.Fields(tags), time.Now(), tidy)
		fmt.Print(text)
		return err
	}
	return fmt.Errorf("there is no command %q", args[0])
}

func git(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	return string(out), err
}

// tidy completes go.mod and go.sum of a module. The proxy has the modules of this
// repository that it requires. Other modules come from the cache of the user or from the
// usual proxy. A separate cache keeps unpublished versions out of the user's.
func tidy(dir, proxy string) error {
	cache, err := os.MkdirTemp("", "kplan-modules-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	known, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return err
	}
	usual := strings.Fields(string(known))
	c := exec.Command("go", "mod", "tidy")
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = append(os.Environ(), "GOWORK=off", "GONOSUMDB="+core, "GOMODCACHE="+cache, "GOFLAGS=-modcacherw",
		"GOPROXY="+url(proxy)+","+url(filepath.Join(usual[0], "cache", "download"))+","+usual[1])
	return c.Run()
}

func url(dir string) string { return "file://" + filepath.ToSlash(dir) }
