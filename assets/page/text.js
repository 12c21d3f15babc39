// The text of the page as a person reads it: what is painted, through open roots and slots, blocks on lines of their own.

// silent are elements whose children are no text on the page.
const silent = new Set([...unread, "svg", "canvas", "video", "audio", "iframe", "object", "embed", "select", "datalist", "textarea", "math"]);
const apart = new Set("p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre table figure".split(" "));

// visibleText is the painted text inside and including the element.
function visibleText(start) {
  const out = { text: "", breaks: 0, space: false };
  collect(start, out, "normal");
  return out.text;
}

// Breaks are remembered and written before the next words, so that empty blocks leave nothing behind.
const breakLine = (out, lines) => {
  out.breaks = Math.max(out.breaks, lines);
  out.space = false;
};

function write(out, words) {
  if (words === "") return;
  if (out.text !== "" && out.breaks > 0) out.text += "\n".repeat(out.breaks);
  else if (out.space && out.text !== "") out.text += " ";
  out.breaks = 0;
  out.space = false;
  out.text += words;
}

function collect(el, out, transform) {
  const tag = tagOf(el);
  if (silent.has(tag)) {
    if (tag === "select" && shown(el)) {
      out.space = true;
      write(out, chosenText(el));
    }
    return;
  }
  const style = getComputedStyle(el);
  const display = style.display;
  if (display === "none" || display === "") return;
  if (tag === "br") {
    out.breaks = out.breaks > 0 && out.text !== "" ? Math.min(out.breaks + 1, 2) : 1;
    out.space = false;
    return;
  }
  const cell = display === "table-cell";
  const block = !cell && display !== "contents" && !display.startsWith("inline") && !display.startsWith("ruby");
  if (block) breakLine(out, apart.has(tag) ? 2 : 1);
  if (cell && out.text !== "" && out.breaks === 0 && previousElement(el) !== null) {
    out.text += "\t";
    out.space = false;
  }
  const rounds = display === "inline-block" || display === "inline-flex" || display === "inline-grid";
  if (rounds) out.space = true;
  const visible = style.visibility === "visible";
  if (style.contentVisibility !== "hidden") {
    const preserved = style.whiteSpaceCollapse !== "collapse";
    const closedDetails = tag === "details" && !el.open;
    const maybeSealed = tag.includes("-") && shadowOf(el) === null;
    for (const node of composedNodes(el)) {
      const kind = kindOf(node);
      if (kind === 1) {
        if (!closedDetails || tagOf(node) === "summary") collect(node, out, style.textTransform);
      } else if (kind === 3 && visible && !closedDetails && display !== "contents") {
        if (!maybeSealed || painting(node)) words(dataOf(node), out, style.textTransform, preserved);
      } else if (kind === 3 && !closedDetails && display === "contents" && visible) {
        words(dataOf(node), out, transform, preserved);
      }
    }
  }
  if (rounds) out.space = true;
  if (block) breakLine(out, apart.has(tag) ? 2 : 1);
}

// words writes one text node, collapsing white space as the page does.
function words(data, out, transform, preserved) {
  if (preserved) {
    if (data.trim() === "" && !data.includes("\n")) {
      out.space = true;
      return;
    }
    write(out, cased(data.replace(/\r\n?/g, "\n"), transform));
    return;
  }
  const text = data.replace(/[ \t\n\r\f]+/g, " ");
  if (text === "" || text === " ") {
    if (text === " " && out.breaks === 0) out.space = true;
    return;
  }
  if (text.startsWith(" ")) out.space = out.breaks === 0 || out.space;
  write(out, cased(text.trim(), transform));
  if (text.endsWith(" ")) out.space = true;
}

const cased = (text, transform) =>
  transform === "uppercase" ? text.toUpperCase() : transform === "lowercase" ? text.toLowerCase() : text;

// painting tells whether a text node has any box; one in a host with a closed root and no slot for it has none.
function painting(node) {
  const range = new Range();
  range.selectNode(node);
  return range.getClientRects().length > 0;
}

// text answers the whole text of this frame, or of a part of it, with what the envelope says about it.
function text({ region }) {
  const start = region === undefined ? top() : regionOf(region);
  const counts = { roots: 0, suspected: 0, busy: inDocument.state(document) === "loading" };
  walk(start, true, (el) => {
    const tag = tagOf(el);
    if (unread.has(tag)) return null;
    if (openRootOf(el) !== null) counts.roots++;
    else if (seemsSealed(el, tag)) counts.suspected++;
    if (has(el, "aria-busy") && attr(el, "aria-busy") === "true" && shown(el)) counts.busy = true;
    return true;
  });
  return { text: visibleText(start), shadow_roots: counts.roots, sealed_suspected: counts.suspected, busy: counts.busy };
}
