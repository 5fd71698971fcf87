// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	// mostText is the longest text, in bytes, and mostValues the largest number of keys and
	// values: a few hundred objects. Larger texts take too long to parse while the user types.
	mostText   = 256 << 10
	mostValues = 20_000
)

// A bound counts the values of a text, and counts the values of an anchor at each use: a few
// lines can stand for more values than fit in memory. The limit of the parser is per decoded
// value, and its error lists every pair of equal keys.
type bound struct {
	sizes map[*yaml.Node]int // 0 during the count
	total int
}

// document counts one more document.
func (b *bound) document(n *yaml.Node) error {
	size, err := b.size(n)
	if err != nil {
		return err
	}
	if b.total += size; b.total > mostValues {
		return fmt.Errorf("line %d: more than %d values, with those that anchors repeat; the command takes more", n.Line, mostValues)
	}
	return nil
}

// size returns the number of values in a node, at most one more than the bound.
func (b *bound) size(n *yaml.Node) (int, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	size, known := b.sizes[n]
	switch {
	case known && size == 0:
		return 0, fmt.Errorf("line %d: an anchor is used in itself", n.Line)
	case known:
		return size, nil
	}
	b.sizes[n] = 0
	if err := distinct(n); err != nil {
		return 0, err
	}
	size = 1
	for _, child := range n.Content {
		of, err := b.size(child)
		if err != nil {
			return 0, err
		}
		size = min(size+of, mostValues+1)
	}
	b.sizes[n] = size
	return size, nil
}

// distinct returns an error for a duplicate key.
func distinct(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if at := lines[key.Value]; at != 0 {
			return fmt.Errorf("line %d: mapping key %q already defined at line %d", key.Line, key.Value, at)
		}
		lines[key.Value] = key.Line
	}
	return nil
}

// short returns an error if a text is too long.
func short(text string) error {
	if len(text) > mostText {
		return errors.New("more than 256 KiB of text; the command takes more")
	}
	return nil
}
