// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	kjson "sigs.k8s.io/json"
)

// split calls use with the parts of a text.
func split(r io.Reader, use func(part) error) error {
	in := bufio.NewReaderSize(plainText(r), 1<<16)
	for line := 1; ; {
		b, err := in.Peek(1)
		switch {
		case len(b) == 0 && errors.Is(err, io.EOF):
			return nil
		case len(b) == 0:
			return err
		case b[0] == '{' && looksLikeJSON(in):
			return splitJSON(in, line, use)
		case !bytes.ContainsAny(b, " \t\r\n"):
			return (&yamlSplitter{in: in, use: use, line: line - 1}).run()
		case b[0] == '\n':
			line++
		}
		if _, err := in.Discard(1); err != nil {
			return err
		}
	}
}

// looksLikeJSON reports whether a quote follows the brace, which is rare in YAML.
func looksLikeJSON(in *bufio.Reader) bool {
	begin, _ := in.Peek(1 << 10) // shorter at the end
	rest := bytes.TrimSpace(begin[1:])
	return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
}

// splitJSON splits consecutive JSON objects. The first object begins in the given line.
func splitJSON(r io.Reader, line int, use func(part) error) error {
	in := &rationed{r: r, line: line}
	s := &jsonSplitter{in, json.NewDecoder(in), use}
	for {
		in.left = maxObject
		switch open, err := s.Token(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case open != json.Delim('{'):
			return errNoObject
		}
		own, rest := part{json: true, line: s.lineAt(0)}, map[string]json.RawMessage{}
		seen := map[string]int{} // the lines of the keys
		for s.More() {
			if err := s.field(rest, seen); err != nil {
				return err
			}
		}
		if _, err := s.Token(); err != nil { // the closing brace
			return err
		}
		var err error
		if own.text, err = json.Marshal(rest); err == nil {
			err = use(own)
		}
		if err != nil {
			return err
		}
	}
}

// A jsonSplitter splits a sequence of objects, and the items of each list.
type jsonSplitter struct {
	in *rationed
	*json.Decoder
	use func(part) error
}

// lineAt returns the line of the byte that is back bytes before the position of the decoder.
func (s *jsonSplitter) lineAt(back int) int { return s.in.lineAt(s.InputOffset() - int64(back)) }

// field reads a field of an object into rest. It passes the items of a list to use, one by one.
func (s *jsonSplitter) field(rest map[string]json.RawMessage, seen map[string]int) error {
	key, err := s.Token()
	if err != nil {
		return err
	}
	name, ok := key.(string)
	if !ok {
		return errNoObject
	}
	line := s.lineAt(0)
	if before := seen[name]; before > 0 {
		return fmt.Errorf("line %d: the key %q is there already, in line %d", line, name, before)
	}
	seen[name] = line
	if name != "items" {
		var value json.RawMessage
		if err := s.Decode(&value); err != nil {
			return err
		}
		rest[name] = value
		return s.distinct(value)
	}
	if open, err := s.Token(); err != nil || open == json.Delim('{') {
		return cmp.Or(err, errNoObject)
	} else if open != json.Delim('[') { // items is not a list
		rest[name], err = json.Marshal(open)
		return err
	}
	for s.More() {
		s.in.left = maxObject
		var item json.RawMessage
		if err := s.Decode(&item); err != nil {
			return err
		} else if len(item) > maxObject {
			return errLarge
		}
		if err := s.use(part{text: item, json: true, line: s.lineAt(len(item)), item: true}); err != nil {
			return err
		}
	}
	rest[name] = json.RawMessage("[]")
	_, err = s.Token()
	return err
}

// distinct returns an error if the value that was just read has a duplicate key.
func (s *jsonSplitter) distinct(value json.RawMessage) error {
	var any any
	twice, err := kjson.UnmarshalStrict(value, &any, kjson.DisallowDuplicateFields)
	if err != nil || len(twice) == 0 {
		return err
	}
	p := part{text: value, line: s.lineAt(len(value))}
	return cmp.Or(p.repeated(), twice[0])
}

var errLarge = fmt.Errorf("holds an object of more than %d MB, which no API server takes", maxObject>>20)

// A rationed reader returns an error after left bytes, until left is increased. It knows the
// lines of the bytes that were read last.
type rationed struct {
	r    io.Reader
	left int
	read int64   // how many bytes
	line int     // of the first byte, then of the last call of lineAt
	ends []int64 // positions after the line breaks that follow
}

func (r *rationed) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLarge
	}
	n, err := r.r.Read(b[:min(len(b), r.left)])
	for i, c := range b[:n] {
		if c == '\n' {
			r.ends = append(r.ends, r.read+int64(i)+1)
		}
	}
	r.left, r.read = r.left-n, r.read+int64(n)
	return n, err
}

// lineAt returns the line of a position. Positions of successive calls must not decrease.
func (r *rationed) lineAt(place int64) int {
	n, _ := slices.BinarySearch(r.ends, place+1)
	r.line, r.ends = r.line+n, r.ends[n:]
	return r.line
}

// A yamlSplitter splits documents, and lists in the form that kubectl prints: the items begin at
// the left margin below the line "items:".
type yamlSplitter struct {
	in    *bufio.Reader
	use   func(part) error
	own   part // the document, without the items
	item  part // the current item, or empty
	items bool // below the line "items:"
	start int  // offset of that line in own
	line  int  // the last line that was read
}

func (s *yamlSplitter) run() error {
	for {
		line, err := s.readLine()
		if len(line) > 0 {
			if err := s.add(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return s.endDocument()
		} else if err != nil {
			return err
		}
	}
}

// readLine returns a line of any length up to maxObject, with its end.
func (s *yamlSplitter) readLine() ([]byte, error) {
	s.line++
	var line []byte
	for {
		b, err := s.in.ReadSlice('\n')
		if line = append(line, b...); len(line) > maxObject {
			return nil, errLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (s *yamlSplitter) add(line []byte) error {
	marker, isMarker := bytes.CutPrefix(bytes.TrimSpace(line), []byte("---"))
	marker, isMarker = bytes.TrimSpace(marker), isMarker && line[0] == '-'
	margin := len(bytes.TrimSpace(line)) > 0 && !bytes.ContainsAny(line[:1], " \t#")
	switch {
	case isMarker && (len(marker) == 0 || marker[0] == '#'): // a comment may follow
		return s.endDocument()
	case s.items && bytes.HasPrefix(line, []byte("- ")):
		if err := s.endItem(); err != nil {
			return err
		}
		s.own.text = append(s.own.text[:s.start], "items: []\n"...)
		s.item.line = s.line
		line = append([]byte("  "), line[2:]...)
	case s.items && margin:
		s.items, s.own.cut = false, s.line-s.own.line-s.own.itemsAt
		if err := s.endItem(); err != nil {
			return err
		}
	}
	to := &s.own
	if s.item.line > 0 {
		to = &s.item
	}
	if string(bytes.TrimRight(line, " \r\n")) == "items:" {
		s.items, s.start = true, len(s.own.text)
		s.own.itemsAt = s.line - cmp.Or(s.own.line, s.line) + 1 - s.own.cut
	}
	if to.line == 0 {
		to.line = s.line
	}
	if to.text = append(to.text, line...); len(to.text) > maxObject {
		return errLarge
	}
	return nil
}

func (s *yamlSplitter) endItem() error {
	item := s.item
	s.item = part{}
	if item.line == 0 {
		return nil
	}
	item.item = true
	return s.use(item)
}

func (s *yamlSplitter) endDocument() error {
	if err := s.endItem(); err != nil {
		return err
	}
	own := s.own
	s.own, s.items = part{}, false
	if own.line == 0 {
		return nil
	}
	return s.use(own)
}

// errNoObject is the error of a text that is not an API object.
var errNoObject = errors.New("must hold objects with an apiVersion and a kind")
