// Reads a log that lies in a folder with the libraries of the Go checksum database, which know nothing of ours:
// reader FOLDER OLD says for each entry of FOLDER/checkpoint that it is in the tree, and that the tree extends the checkpoint OLD.
//
// The libraries call tiles tile/8/L/N and head their trees otherwise; both are adapted here, and nothing else.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func fail(err error) {
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}

type folder string

func (f folder) Height() int { return 8 }

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(tiles))
	for i, tile := range tiles {
		data, err := os.ReadFile(filepath.Join(string(f), "tile", strings.TrimPrefix(tile.Path(), "tile/8/")))
		if err != nil {
			return nil, err
		}
		found[i] = data
	}
	return found, nil
}

func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}

func checkpoint(path string, known note.Verifiers) tlog.Tree {
	data, err := os.ReadFile(path)
	fail(err)
	opened, err := note.Open(data, known)
	fail(err)
	lines := strings.Split(opened.Text, "\n")
	if opened.Sigs[0].Name != lines[0] {
		fail(fmt.Errorf("%s signed for %s", opened.Sigs[0].Name, lines[0]))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	fail(err)
	root, err := tlog.ParseHash(lines[2])
	fail(err)
	return tlog.Tree{N: size, Hash: root}
}

func main() {
	key, err := os.ReadFile(filepath.Join(os.Args[1], "key"))
	fail(err)
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	fail(err)
	known := note.VerifierList(verifier)
	tree, old := checkpoint(filepath.Join(os.Args[1], "checkpoint"), known), checkpoint(os.Args[2], known)
	hashes := tlog.TileHashReader(tree, folder(os.Args[1]))
	extension, err := tlog.ProveTree(tree.N, old.N, hashes)
	fail(err)
	fail(tlog.CheckTree(extension, tree.N, tree.Hash, old.N, old.Hash))
	for first := int64(0); first < tree.N; first += 256 {
		path := tlog.Tile{H: 8, L: 0, N: first / 256, W: 256}
		if tree.N-first < 256 {
			path.W = int(tree.N - first)
		}
		bundle, err := os.ReadFile(filepath.Join(os.Args[1], "tile", "entries", strings.TrimPrefix(path.Path(), "tile/8/0/")))
		fail(err)
		for index := first; len(bundle) > 0; index++ {
			size := int(binary.BigEndian.Uint16(bundle))
			entry := bundle[2 : 2+size]
			bundle = bundle[2+size:]
			proof, err := tlog.ProveRecord(tree.N, index, hashes)
			fail(err)
			fail(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
		}
	}
	fmt.Println("accepted:", tree.N, "entries, extending", old.N)
}
