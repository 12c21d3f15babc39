package tool

// nearest returns the candidate that a person most likely meant by word, or "" when none is close: at most a third of
// the word may differ, and never more than four steps. On a tie the earlier candidate wins.
func nearest(word string, candidates []string) string {
	best, bound := "", min(max(len([]rune(word))/3, 1), 4)
	for _, c := range candidates {
		if d := distance(word, c); d <= bound {
			best, bound = c, d-1
		}
	}
	return best
}

// distance counts the inserted, deleted, replaced or swapped neighbouring letters that turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	// A word of this length is no misspelt name, and the table below grows with the product of the lengths.
	const longest = 64
	if len(x) > longest || len(y) > longest {
		return longest
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
