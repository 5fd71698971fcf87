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
)

// A part is the text of one object. Lists are cut into their items, so that no more than
// one of them is in memory as text.
type part struct {
	text []byte
	json bool // instead of YAML
	line int  // where it begins
	item bool // of a list, whose own fields are a part without items
}

// split calls use with the parts of a text.
func split(r io.Reader, use func(part) error) error {
	in := bufio.NewReaderSize(plainText(r), 1<<16)
	for {
		b, err := in.Peek(1)
		switch {
		case len(b) == 0 && errors.Is(err, io.EOF):
			return nil
		case len(b) == 0:
			return err
		case b[0] == '{' && looksLikeJSON(in):
			return splitJSON(in, use)
		case !bytes.ContainsAny(b, " \t\r\n"):
			return (&yamlSplitter{in: in, use: use}).run()
		}
		if _, err := in.Discard(1); err != nil {
			return err
		}
	}
}

// looksLikeJSON reports whether a brace is followed by a quote, as YAML seldom has it.
func looksLikeJSON(in *bufio.Reader) bool {
	begin, _ := in.Peek(1 << 10) // which is less at the end
	rest := bytes.TrimSpace(begin[1:])
	return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
}

// splitJSON splits objects that follow each other.
func splitJSON(r io.Reader, use func(part) error) error {
	in := &rationed{r: r}
	d := json.NewDecoder(in)
	for {
		in.left = maxObject
		switch open, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case open != json.Delim('{'):
			return errNoObject
		}
		rest := map[string]json.RawMessage{}
		for d.More() {
			if err := jsonField(d, in, rest, use); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil { // the closing brace
			return err
		}
		text, err := json.Marshal(rest)
		if err == nil {
			err = use(part{text: text, json: true, line: 1})
		}
		if err != nil {
			return err
		}
	}
}

// jsonField reads a field of an object into rest, or the items of a list one by one.
func jsonField(d *json.Decoder, in *rationed, rest map[string]json.RawMessage, use func(part) error) error {
	key, err := d.Token()
	if err != nil {
		return err
	}
	name, ok := key.(string)
	if !ok {
		return errNoObject
	}
	if name != "items" {
		var value json.RawMessage
		err = d.Decode(&value)
		rest[name] = value
		return err
	}
	if open, err := d.Token(); err != nil || open == json.Delim('{') {
		return cmp.Or(err, errNoObject)
	} else if open != json.Delim('[') { // of something that is no list
		rest[name], err = json.Marshal(open)
		return err
	}
	for d.More() {
		in.left = maxObject
		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return err
		} else if len(item) > maxObject {
			return errLarge
		}
		if err := use(part{text: item, json: true, line: 1, item: true}); err != nil {
			return err
		}
	}
	rest[name] = json.RawMessage("[]")
	_, err = d.Token()
	return err
}

var errLarge = fmt.Errorf("holds an object of more than %d MB, which no API server takes", maxObject>>20)

// rationed reads so many bytes and no more, until it is given others.
type rationed struct {
	r    io.Reader
	left int
}

func (r *rationed) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLarge
	}
	n, err := r.r.Read(b[:min(len(b), r.left)])
	r.left -= n
	return n, err
}

// A yamlSplitter splits documents, and within one the lists that kubectl prints: their
// items begin at the left margin below the line "items:".
type yamlSplitter struct {
	in    *bufio.Reader
	use   func(part) error
	own   part // the document, without the items
	item  part // the present item, or empty
	items bool // below the line "items:"
	start int  // where that line is in own
	line  int
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

// readLine returns a line with its end, which may be a long one.
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
		s.items = false
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

// errNoObject tells that a text is something else than an object of an API.
var errNoObject = errors.New("must hold objects with an apiVersion and a kind")
