// Package pagegen writes large pages for benchmarks: a catalogue of products with three closed shadow roots in it, so
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
	// frame is the number of elements around the rows: html, head, meta, title, body, the three hosts and the script.
	frame = 9
	// row is the number of elements of one product: li, p, a, span and button; group is the number of those in one
	// list, and list the number of elements around them: section, h2 and ul.
	row, group, list = 5, 50, 3
	// hosts is the number of closed roots: one before the products, one halfway, one after them.
	hosts = 3
)

// Secret is the value that each closed root's field holds; no sealed read may ever show it.
const Secret = "pagegen-secret-4111"

// Sealed is the number of sealed controls on a page: a button, a field and a link in each closed root.
const Sealed = hosts * 3

// Elements returns an HTML page whose document holds exactly n elements (document.querySelectorAll("*").length) once
// its script ran, in lists of 50 products; what is inside the closed roots is not counted, since the page cannot count
// it either. An n too small for the three hosts is raised to that minimum.
func Elements(n int) string {
	p := begin()
	left := max(n-frame, 0)
	groups := left / (list + group*row)
	for g := range groups {
		if g == groups/2 {
			p.host(2)
		}
		fmt.Fprintf(&p.html, "<section><h2>Shelf %d</h2><ul>", g)
		for i := range group {
			p.product("li", g*group+i)
		}
		p.html.WriteString("</ul></section>")
	}
	if groups == 0 {
		p.host(2)
	}
	return p.end(left % (list + group*row))
}

// Flat is like Elements without any grouping: every product is a child of body, and so are the hosts.
func Flat(n int) string {
	p := begin()
	left := max(n-frame, 0)
	rows := left / row
	for i := range rows {
		if i == rows/2 {
			p.host(2)
		}
		p.product("div", i)
	}
	if rows == 0 {
		p.host(2)
	}
	return p.end(left % row)
}

// page is a page under construction.
type page struct{ html strings.Builder }

func begin() *page {
	p := &page{}
	p.html.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Catalogue</title></head><body>`)
	p.host(1)
	return p
}

// end fills up with so many more elements.
func (p *page) end(fill int) string {
	p.html.WriteString(strings.Repeat("<i></i>", fill))
	p.host(hosts)
	p.html.WriteString(`<script>for (const host of document.querySelectorAll("order-line")) {
  host.attachShadow({mode: "closed"}).innerHTML = "<button>Order " + host.title + "</button><label>Note " + host.title +
    " <input value='` + Secret + `'></label><a href='#terms'>Terms " + host.title + "</a>";
}</script></body></html>`)
	return p.html.String()
}

// host writes the host of the closed root with this number.
func (p *page) host(number int) {
	fmt.Fprintf(&p.html, `<order-line title="%d"></order-line>`, number)
}

func (p *page) product(tag string, i int) {
	fmt.Fprintf(&p.html, `<%[1]s><p>Product %[2]d, in stock</p><a href="#p%[2]d"><span>Details of product %[2]d</span></a><button>Add product %[2]d</button></%[1]s>`, tag, i)
}
