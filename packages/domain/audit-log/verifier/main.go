// Verifies checkpoints, proofs and tiles of Weir with the libraries of Go's checksum database and of transparency-dev: those on stdin, or
// with an address and ids of events those of a running writer.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/transparency-dev/formats/log"
	witness "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type input struct {
	Checkpoint  string            `json:"checkpoint"`
	Keys        []string          `json:"keys"`
	WitnessKeys []string          `json:"witness_keys"`
	Tiles       map[string][]byte `json:"tiles"`
	Inclusion   []struct {
		Index int64    `json:"index"`
		Leaf  []byte   `json:"leaf"`
		Proof [][]byte `json:"proof"`
	} `json:"inclusion"`
	Consistency []struct {
		Size  int64    `json:"size"`
		Root  []byte   `json:"root"`
		Proof [][]byte `json:"proof"`
	} `json:"consistency"`
}

func main() {
	if len(os.Args) > 1 {
		runRemote(os.Args[1])
		return
	}
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fail("input: %v", err)
	}
	tree := open(in)
	reader := tlog.TileHashReader(tree, tiles(in.Tiles))
	for _, p := range in.Inclusion {
		proof := hashes(p.Proof)
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, p.Index, tlog.RecordHash(p.Leaf)); err != nil {
			fail("inclusion of %d: %v", p.Index, err)
		}
		own, err := tlog.ProveRecord(tree.N, p.Index, reader)
		if err != nil || !same(proof, own) {
			fail("inclusion of %d from the tiles: %v", p.Index, err)
		}
	}
	for _, p := range in.Consistency {
		proof := hashes(p.Proof)
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, p.Size, hash(p.Root)); err != nil {
			fail("consistency with %d: %v", p.Size, err)
		}
		own, err := tlog.ProveTree(tree.N, p.Size, reader)
		if err != nil || !same(proof, own) {
			fail("consistency with %d from the tiles: %v", p.Size, err)
		}
	}
	fmt.Printf("verified %d leaves, %d and %d proofs\n", tree.N, len(in.Inclusion), len(in.Consistency))
}

// open verifies each signature of the checkpoint.
func open(in input) tlog.Tree {
	var verifiers []note.Verifier
	for _, key := range in.Keys {
		verifier, err := note.NewVerifier(key)
		if err != nil {
			fail("key: %v", err)
		}
		verifiers = append(verifiers, verifier)
	}
	for _, key := range in.WitnessKeys {
		verifier, err := witness.NewVerifierForCosignatureV1(key)
		if err != nil {
			fail("key of a witness: %v", err)
		}
		verifiers = append(verifiers, verifier)
	}
	opened, err := note.Open([]byte(in.Checkpoint), note.VerifierList(verifiers...))
	if err != nil || len(opened.UnverifiedSigs) > 0 || len(opened.Sigs) != len(verifiers) {
		fail("checkpoint: %v", err)
	}
	var checkpoint log.Checkpoint
	if rest, err := checkpoint.Unmarshal([]byte(opened.Text)); err != nil || len(rest) > 0 {
		fail("checkpoint: %v", err)
	}
	return tlog.Tree{N: int64(checkpoint.Size), Hash: hash(checkpoint.Hash)}
}

// tiles are keyed by their path of tlog-tiles, which leaves out the height.
type tiles map[string][]byte

func (t tiles) Height() int                         { return 8 }
func (t tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		if t[path] == nil {
			return nil, fmt.Errorf("no %s", path)
		}
		found = append(found, t[path])
	}
	return found, nil
}

func hash(b []byte) tlog.Hash {
	if len(b) != tlog.HashSize {
		fail("a hash of %d bytes", len(b))
	}
	return tlog.Hash(b)
}

func hashes(list [][]byte) []tlog.Hash {
	var result []tlog.Hash
	for _, b := range list {
		result = append(result, hash(b))
	}
	return result
}

func same(a, b []tlog.Hash) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i][:], b[i][:]) {
			return false
		}
	}
	return true
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}
