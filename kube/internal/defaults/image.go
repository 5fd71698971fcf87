// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"regexp"
	"slices"
	"strings"
)

// The parts of an image name: registry, path, tag, and digest.
const (
	word     = `[[:alnum:]](?:[[:alnum:]-]*[[:alnum:]])?`
	registry = `(?:` + word + `(?:\.` + word + `)*|\[[[:xdigit:]:]+\])(?::[0-9]+)?`
	folder   = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
	algo     = `[[:alpha:]][[:alnum:]]*(?:[-_+.][[:alpha:]][[:alnum:]]*)*`
)

var (
	imageName = regexp.MustCompile(`^(` + registry + `/` + folder + `(?:/` + folder + `)*)` +
		`(?::(\w[\w.-]{0,127}))?(?:@(` + algo + `):([[:xdigit:]]{32,}))?$`)
	identifier = regexp.MustCompile(`^[a-f0-9]{64}$`)
)

// longestName is the greatest length of a path without the registry.
const longestName = 255

// digests maps each algorithm to the length of its digests in lowercase hexadecimal digits.
var digests = map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}

// isLatest reports whether an image has the tag latest, or neither tag nor digest. It is
// false for an invalid name.
func isLatest(image string) bool {
	if identifier.MatchString(image) {
		return false
	}
	host, path := splitImage(image)
	parts := imageName.FindStringSubmatch(host + "/" + path)
	if parts == nil {
		return false
	}
	name, tag, algorithm, digest := parts[1], parts[2], parts[3], parts[4]
	if pathOnly := strings.TrimPrefix(name, host+"/"); len(pathOnly) > longestName {
		return false
	}
	if algorithm == "" {
		return tag == "" || tag == "latest"
	}
	return tag == "latest" && len(digest) == digests[algorithm] && strings.ToLower(digest) == digest
}

// splitImage returns the registry of an image, docker.io if the image names none, and
// the rest.
func splitImage(image string) (host, path string) {
	host, path, found := strings.Cut(image, "/")
	switch {
	case !found:
		return "docker.io", "library/" + image
	case host == "index.docker.io":
		host = "docker.io"
	case host == "localhost", strings.ContainsAny(host, ".:"), strings.ToLower(host) != host:
	default:
		return "docker.io", image
	}
	if host == "docker.io" && !slices.Contains([]byte(path), '/') {
		path = "library/" + path
	}
	return host, path
}
