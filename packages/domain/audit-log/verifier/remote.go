package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// remote is a log that a running writer serves.
type remote struct{ url, token string }

type entry struct {
	Index      int64    `json:"index"`
	Leaf       string   `json:"leaf"`
	TreeSize   int64    `json:"tree_size"`
	Proof      [][]byte `json:"inclusion_proof"`
	Checkpoint string   `json:"checkpoint"`
}

// verifyRemote verifies the served checkpoint, every leaf of the served bundles against the tiles, proofs of the given events, and that the
// tree begins with the tree of an earlier checkpoint. Tiles that do not give the signed root fail in TileHashReader.
func verifyRemote(url, token, earlier string, events []string) {
	log := remote{url, token}
	keys := strings.Fields(string(log.get("/v1/audit/key")))
	tree := open(input{Checkpoint: string(log.get("/checkpoint")), Keys: keys})
	reader := tlog.TileHashReader(tree, log)
	for n := int64(0); n < tree.N; n++ {
		leaf := log.leaf(n, tree.N)
		proof, err := tlog.ProveRecord(tree.N, n, reader)
		if err == nil {
			err = tlog.CheckRecord(proof, tree.N, tree.Hash, n, tlog.RecordHash(leaf))
		}
		if err != nil {
			fail("leaf %d: %v", n, err)
		}
	}
	for _, id := range events {
		var e entry
		if err := json.Unmarshal(log.get("/v1/audit/entries/"+id), &e); err != nil {
			fail("entry %s: %v", id, err)
		}
		of := open(input{Checkpoint: e.Checkpoint, Keys: keys})
		if err := tlog.CheckRecord(hashes(e.Proof), of.N, of.Hash, e.Index, tlog.RecordHash([]byte(e.Leaf))); err != nil {
			fail("entry %s: %v", id, err)
		}
	}
	if earlier != "" {
		before := open(input{Checkpoint: earlier, Keys: keys})
		proof, err := tlog.ProveTree(tree.N, before.N, reader)
		if err == nil {
			err = tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash)
		}
		if err != nil {
			fail("consistency with %d: %v", before.N, err)
		}
	}
	fmt.Printf("verified %d leaves and %d entries\n", tree.N, len(events))
}

func (r remote) get(path string) []byte {
	request, err := http.NewRequest(http.MethodGet, r.url+path, nil)
	if err != nil {
		fail("%s: %v", path, err)
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fail("%s: %v", path, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		fail("%s: %s %v", path, answer.Status, err)
	}
	return body
}

var bundles = map[string][]byte{}

// leaf reads the bundle of entries that has leaf n.
func (r remote) leaf(n, size int64) []byte {
	width := min(256, size-n/256*256)
	path := strings.Replace(tlog.Tile{H: 8, L: -1, N: n / 256, W: int(width)}.Path(), "tile/8/data/", "/tile/entries/", 1)
	if bundles[path] == nil {
		bundles[path] = r.get(path)
	}
	bundle := bytes.NewBuffer(bundles[path])
	for at := int64(0); ; at++ {
		length := int(binary.BigEndian.Uint16(bundle.Next(2)))
		if leaf := bundle.Next(length); at == n%256 {
			return leaf
		}
	}
}

func (r remote) Height() int                         { return 8 }
func (r remote) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (r remote) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		path := strings.Replace(tile.Path(), "tile/8/", "/tile/", 1)
		if served[path] == nil {
			served[path] = r.get(path)
		}
		found = append(found, served[path])
	}
	return found, nil
}

var served = map[string][]byte{}

// runRemote reads its input from the environment, so that no token is in the list of processes.
func runRemote(url string) {
	verifyRemote(url, os.Getenv("TOKEN"), os.Getenv("EARLIER"), os.Args[2:])
}
