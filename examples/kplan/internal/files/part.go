// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	nodes "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// A part is the text of one object. A list is cut into its items, so that only one item is in
// memory as text.
type part struct {
	text []byte
	json bool // instead of YAML
	line int  // where it begins
	item bool // item of a list; the other fields of the list are a separate part

	itemsAt, cut int // cut lines are left out after line itemsAt, counted from 1
}

// lineOf returns the line of the file for a line of the part, from 1.
func (p *part) lineOf(n int) int {
	if n > p.itemsAt {
		n += p.cut
	}
	return n + p.line - 1
}

// asJSON converts the part from YAML to JSON. A duplicate key is an error, a key that overrides a
// merge key is not.
func (p *part) asJSON() ([]byte, error) {
	text, err := yaml.YAMLToJSONStrict(p.text)
	if err == nil || !strings.Contains(err.Error(), "already set in map") {
		return text, p.syntax(err)
	}
	if err := p.repeated(); err != nil {
		return nil, err
	}
	text, err = yaml.YAMLToJSON(p.text)
	return text, p.syntax(err)
}

var lineNumber = regexp.MustCompile(`line \d+`)

// syntax returns an error with line numbers of the file instead of the part.
func (p *part) syntax(err error) error {
	switch {
	case err == nil:
		return nil
	case bytes.Contains(p.text, []byte("{{")):
		return errors.New("looks like a Helm template; render it first, as with helm template")
	}
	text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	return errors.New(lineNumber.ReplaceAllStringFunc(text, func(found string) string {
		var n int
		_, _ = fmt.Sscanf(found, "line %d", &n) // digits, as the pattern has matched
		return fmt.Sprintf("line %d", p.lineOf(n))
	}))
}

// repeated returns an error for the first duplicate key, or nil.
func (p *part) repeated() error {
	var document nodes.Node
	if nodes.Unmarshal(p.text, &document) != nil {
		return nil // the other parser returns this error
	}
	key, before := repeatedKey(&document)
	if key == nil {
		return nil
	}
	return fmt.Errorf("line %d: the key %q is there already, in line %d", p.lineOf(key.Line), key.Value, p.lineOf(before.Line))
}

// repeatedKey returns the first duplicate key and its first occurrence, or nil.
func repeatedKey(n *nodes.Node) (key, before *nodes.Node) {
	seen := map[string]*nodes.Node{}
	for i, child := range n.Content {
		if n.Kind == nodes.MappingNode && i%2 == 0 && child.Kind == nodes.ScalarNode && child.ShortTag() != "!!merge" {
			name := child.ShortTag() + child.Value
			if first := seen[name]; first != nil {
				return child, first
			}
			seen[name] = child
		}
		if key, before := repeatedKey(child); key != nil {
			return key, before
		}
	}
	return nil, nil
}
