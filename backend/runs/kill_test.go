package runs

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// envRecordIn makes this test binary record calls in the database that it names, until it is killed.
const envRecordIn = "KUANG_TEST_RECORD_IN"

// TestRecordInALoop is the child of TestKilledRecords. It prints the id of every call once it is recorded.
func TestRecordInALoop(t *testing.T) {
	path := os.Getenv(envRecordIn)
	if path == "" {
		t.Skip("run by TestKilledRecords")
	}
	l := New(openDB(t, path))
	for {
		e, err := l.Record(context.Background(), "abcd", "tester", "http", Entry{Verb: "find", Outcome: OK, Site: "a.example"})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(e.RunID, e.ID)
	}
}

// What Record has returned from is there after a SIGKILL, and a run says how many entries it has.
func TestKilledRecords(t *testing.T) {
	const rounds = 8
	path := filepath.Join(t.TempDir(), "kuang.db")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	recorded := 0
	for range rounds {
		cmd := exec.Command(exe, "-test.run=^TestRecordInALoop$")
		cmd.Env = append(os.Environ(), envRecordIn+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var said [][2]string
		lines, kill := bufio.NewScanner(out), 1+rand.IntN(20)
		for read := 1; lines.Scan(); read++ {
			if run, id, ok := strings.Cut(lines.Text(), " "); ok && len(id) == 26 {
				said = append(said, [2]string{run, id})
			}
			if read == kill {
				time.AfterFunc(rand.N(3*time.Millisecond), func() { _ = cmd.Process.Kill() })
			}
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended by itself: %v", err)
		}

		db := openDB(t, path)
		if db.Broken() != "" {
			t.Fatalf("the database was damaged: %s", db.Broken())
		}
		for _, s := range said {
			var n int
			if err := db.Gorm().Raw("SELECT count(*) FROM entries WHERE run_id = ? AND id = ?", s[0], s[1]).Scan(&n).Error; err != nil || n != 1 {
				t.Fatalf("call %s was recorded and is gone: %v", s[1], err)
			}
		}
		recorded += len(said)
		var wrong int
		const uneven = "SELECT count(*) FROM runs WHERE calls <> (SELECT count(*) FROM entries WHERE run_id = runs.id)"
		if err := db.Gorm().Raw(uneven).Scan(&wrong).Error; err != nil || wrong != 0 {
			t.Fatalf("%d runs are torn, %v", wrong, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d calls recorded and found", rounds, recorded)
}
