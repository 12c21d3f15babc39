// Package pagegen writes large pages for benchmarks: a plain list of products with three closed shadow roots in it, so
// that a sealed read and an observe are measured on the same content.
package pagegen

import (
	"fmt"
	"strings"
)

// The two sizes that the benchmarks measure.
const (
	Medium = 7_509
	Large  = 45_009
)

const (
	// chrome is the number of elements around the rows: html, head, meta, title, body, the three hosts and the script.
	chrome = 9
	// row is the number of elements of one list row: li, p, a, span and button.
	row = 5
	// hosts is the number of closed roots: one before the rows, one halfway, one after them.
	hosts = 3
)

// Secret is the value that each closed root's field holds; no sealed read may ever show it.
const Secret = "pagegen-secret-4111"

// Sealed is the number of sealed controls on a page: a button, a field and a link in each closed root.
const Sealed = hosts * 3

// Elements returns an HTML page whose document holds exactly n elements (document.querySelectorAll("*").length) once
// its script ran; what is inside the closed roots is not counted, since the page cannot count it either. An n too
// small for the three hosts is raised to that minimum.
func Elements(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Catalogue</title></head><body>`)
	left := max(n-chrome, 0)
	rows := left / row
	host(&b, 1)
	for i := range rows {
		if i == rows/2 {
			host(&b, 2)
		}
		fmt.Fprintf(&b, `<li><p>Product %d, in stock</p><a href="#p%d"><span>Details of product %d</span></a><button>Add product %d</button></li>`, i, i, i, i)
	}
	if rows == 0 {
		host(&b, 2)
	}
	b.WriteString(strings.Repeat("<i></i>", left%row))
	host(&b, hosts)
	b.WriteString(`<script>for (const host of document.querySelectorAll("order-line")) {
  host.attachShadow({mode: "closed"}).innerHTML = "<button>Order " + host.title + "</button><label>Note " + host.title +
    " <input value='` + Secret + `'></label><a href='#terms'>Terms " + host.title + "</a>";
}</script></body></html>`)
	return b.String()
}

// host writes the host of the closed root with this number.
func host(b *strings.Builder, number int) { fmt.Fprintf(b, `<order-line title="%d"></order-line>`, number) }
