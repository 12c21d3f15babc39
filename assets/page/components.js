// The components projection: everything a person could operate, with its role, name, value, state, place among the
// landmarks and the actions it accepts, in the order it is painted.

// unread are elements without anything for a person.
const unread = new Set("head script style template noscript link meta base title param source track".split(" "));

// told are the roles that make a row although nothing is done to them: they say where one is and what happened.
const told = new Set("heading alert status progressbar meter timer".split(" "));

// hostTags are the built-in elements that can have an open or closed root.
const hostTags = new Set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));

// The landmark that a component outside all landmarks belongs to.
const page = { el: null, role: "page" };

// scan walks the page once and returns what is on it, names left for later.
function scan(start = top()) {
  const found = { list: [], elements: 0, roots: 0, suspected: 0, busy: inDocument.state(document) === "loading", behind: 0 };
  let modal = false;
  walk(start, { region: landmarkAround(start), operated: false, pointer: false, modal: false }, (el, context) => {
    const tag = tagOf(el);
    if (unread.has(tag)) return null;
    found.elements++;
    const attributes = hasAny(el);
    if (attributes && (attr(el, "aria-hidden") === "true" || has(el, "inert"))) return null;
    const root = openRootOf(el);
    if (root !== null) found.roots++;
    else if (seemsSealed(el, tag)) found.suspected++;
    if (attributes && attr(el, "aria-busy") === "true" && shown(el)) found.busy = true;
    const role = roleOf(el);
    let next = context;
    if (landmarks.has(role)) {
      if (!shown(el)) return tag === "dialog" ? null : context;
      const top = tag === "dialog" && matches(el, ":modal");
      modal ||= top;
      next = { region: { el, role }, operated: false, pointer: false, modal: context.modal || top };
    }
    const hand = pointsAt(el, role, tag, context);
    const operated = operatedRole(el, role, tag, context, hand);
    if (hand !== next.pointer) next = { ...next, pointer: hand };
    if (operated !== "") {
      const box = paintedBox(el, tag);
      if (box !== null) found.list.push({ el, role: operated, box, region: next.region, modal: next.modal });
      if (controls.has(operated) && operated !== "gridcell") next = { ...next, operated: true };
    } else if (told.has(role) && shown(el)) {
      const box = boxed(el);
      if (box !== null) found.list.push({ el, role, box, region: next.region, modal: next.modal });
    }
    return next;
  });
  if (modal) {
    const reachable = found.list.filter((item) => item.modal);
    found.behind = found.list.length - reachable.length;
    found.list = reachable;
  }
  return found;
}

// operatedRole is the role under which a person operates the element, or "" when they do not.
function operatedRole(el, role, tag, context, hand) {
  if (controls.has(role)) {
    if (tag === "option" || (role === "listbox" && tag !== "select") || (role === "gridcell" && !focusable(el))) return "";
    return role;
  }
  if (context.operated) return "";
  if (role === "iframe" || role === "img" && tag === "svg") return "";
  if (hasAny(el) && (has(el, "onclick") || editingHost(el) || reachedByTab(el))) {
    if (editingHost(el)) return "textbox";
    if (scrollsOnly(el)) return "";
    return "clickable";
  }
  // A hand that was not already over the parent is how pages mark what they made clickable by script alone.
  return hand && !context.pointer && tag !== "label" ? "clickable" : "";
}

// pointsAt tells that the pointer turns into a hand over the element; inside a control nobody asks.
const pointsAt = (el, role, tag, context) =>
  context.operated || controls.has(role) ? context.pointer : getComputedStyle(el).cursor === "pointer";

const reachedByTab = (el) => {
  const asked = attr(el, "tabindex");
  return asked !== null && Number.parseInt(asked, 10) >= 0;
};

// scrollsOnly tells a box that takes the focus so that the keyboard can scroll it: it holds text, and nothing is done to it.
const scrollsOnly = (el) => {
  const role = roleOf(el);
  return role === "region" || role === "table" || role === "group" || role === "document" || role === "application" || landmarks.has(role);
};

// paintedBox is where the component shows, or null. A ticked box that a page hides behind its label shows there.
function paintedBox(el, tag) {
  const box = shown(el) ? boxed(el) : null;
  if (tag !== "input" || (box !== null && box.width > 2 && box.height > 2)) return box;
  for (const label of labelsOf(el)) {
    const around = shown(label) ? boxed(label) : null;
    if (around !== null) return around;
  }
  return box;
}

// landmarkAround is the landmark that an element lies in.
function landmarkAround(el) {
  for (let at = composedParent(el); at !== null; at = composedParent(at)) {
    const role = roleOf(at);
    if (landmarks.has(role)) return { el: at, role };
  }
  return page;
}

// seemsSealed tells what looks like the host of a closed root: it can have one, has no open one, takes up space, and
// has nothing of its own to show for it.
function seemsSealed(el, tag) {
  if (tag.includes("-")) {
    if (firstOf(el) !== null && ownContent(el)) return false;
    const box = boxOf(el);
    return box.width > 0 && box.height > 0 && shown(el);
  }
  if (!hostTags.has(tag) || firstElement(el) !== null) return false;
  for (let node = firstOf(el); node !== null; node = nextOf(node)) {
    if (kindOf(node) === 3 && /\S/.test(dataOf(node))) return false;
  }
  const box = boxOf(el);
  if (box.width <= 1 || box.height <= 1 || !shown(el)) return false;
  const style = getComputedStyle(el);
  return style.backgroundImage === "none" && style.backgroundColor === "rgba(0, 0, 0, 0)" && style.maskImage === "none" &&
    style.borderTopWidth === "0px" && style.borderBottomWidth === "0px" && style.boxShadow === "none" &&
    style.cursor !== "pointer" && drawsNothing(el) && grownFromInside(el, style, box);
}

// grownFromInside tells that nothing in the style sheets explains an empty element's height: then its content does.
function grownFromInside(el, style, box) {
  const asked = el.computedStyleMap();
  const auto = (property) => String(asked.get(property)) === "auto";
  if (!auto("height") || String(asked.get("aspect-ratio")) !== "auto") return false;
  if (box.height <= Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom)) return false;
  if (Number.parseFloat(style.minHeight) > 0 || style.minHeight.endsWith("%")) return false;
  if (style.position === "absolute" || style.position === "fixed") return auto("top") || auto("bottom");
  const around = composedParent(el);
  return around === null || !/flex|grid/.test(getComputedStyle(around).display);
}

const drawsNothing = (el) => {
  for (const pseudo of ["::before", "::after"]) {
    const content = getComputedStyle(el, pseudo).content;
    if (content !== "none" && content !== "normal") return false;
  }
  return true;
};

// ownContent tells whether any child of the element is painted: one that a closed root gives no slot is not.
function ownContent(el) {
  const range = new Range();
  range.selectNodeContents(el);
  for (const box of range.getClientRects()) if (box.width > 0 && box.height > 0) return true;
  return false;
}

// inView tells whether any of the box is in the view: the viewport, or the part of it that a frame shows through.
const inView = (box, view) => box.right > view.x && box.bottom > view.y && box.left < view.x + view.w && box.top < view.y + view.h;
const wholeView = () => ({ x: 0, y: 0, w: innerWidth, h: innerHeight });

// byRegion orders the components by their landmark, landmarks in the order they begin.
function byRegion(list) {
  const groups = new Map();
  for (const item of list) {
    const key = item.region.el;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()].flat();
}

function regionLine(region) {
  const name = region.el === null ? "" : cut(nameOf(region.el, region.role), 80);
  return "# " + region.role + (name === "" ? "" : " " + JSON.stringify(name));
}

// rowOf is one component as the API gives it; box is in this frame's viewport.
function rowOf(item) {
  const row = factsOf(item.el, item.role);
  if (row.name === "" && told.has(item.role)) row.name = cut(squeeze(visibleText(item.el)), 200);
  if (row.name === "" && item.role === "clickable") row.name = cut(squeeze(visibleText(item.el)), 80);
  row.mark = mark(item.el);
  return row;
}

function lineOf(row) {
  let line = "[" + row.mark + "] " + row.role;
  if (row.level !== undefined) line += " " + row.level;
  if (row.name !== "") line += " " + JSON.stringify(row.name);
  if (row.value !== undefined && row.value !== "") line += " = " + JSON.stringify(row.value);
  if (row.chars !== undefined) line += " (" + row.chars + " characters" + (row.value === undefined ? ", not shown" : "") + ")";
  if (row.state.length > 0) line += " " + row.state.join(", ");
  if (row.actions.length > 0) line += " {" + row.actions.join("} {") + "}";
  return line;
}

// components answers one page of the projection: the rows from the component numbered from, as many as fit the budget
// of characters (0: all; less: none, only the counts).
function components({ from, budget, first = true, offscreen, view, region }) {
  const found = scan(region === undefined ? top() : regionOf(region));
  const seen = view ?? wholeView();
  const near = found.list.filter((item) => inView(item.box, seen));
  const list = byRegion(offscreen ? found.list : near);
  const lines = [];
  const rows = [];
  let chars = 0;
  let last;
  for (let i = from; i < list.length && budget >= 0; i++) {
    const row = rowOf(list[i]);
    let text = lineOf(row);
    const opening = list[i].region.el !== last || rows.length === 0 ? regionLine(list[i].region) : "";
    if (opening !== "") text = opening + "\n" + text;
    if (budget > 0 && (rows.length > 0 || !first) && chars + text.length + 1 > budget) break;
    last = list[i].region.el;
    chars += text.length + 1;
    lines.push(text);
    row.region = regionName(list[i].region);
    rows.push(row);
  }
  return {
    text: lines.join("\n"), rows, total: list.length, offscreen: found.list.length - near.length,
    elements: found.elements, shadow_roots: found.roots, sealed_suspected: found.suspected, busy: found.busy, behind_modal: found.behind,
  };
}

const regionName = (region) => {
  const name = region.el === null ? "" : cut(nameOf(region.el, region.role), 80);
  return name === "" ? region.role : region.role + " " + name;
};

// regionOf finds the part of the page to read: a mark, a landmark's role, or a selector.
function regionOf(region) {
  if (/^\d+$/.test(region)) {
    const el = marked(Number(region));
    if (el === null) throw new Refusal("STALE_REF", "The mark " + region + " is gone.", "Observe the page again.");
    return el;
  }
  if (landmarks.has(region)) {
    let first = null;
    walk(top(), true, (el) => {
      if (first !== null || unread.has(tagOf(el))) return null;
      if (roleOf(el) === region && shown(el)) first = el;
      return true;
    });
    if (first === null) throw new Refusal("NO_TARGET", "The page has no landmark " + region + ".", "Leave region out to read the whole page.");
    return first;
  }
  const all = pierce(region);
  const el = all.find(shown) ?? all[0];
  if (el === undefined) throw new Refusal("NO_TARGET", "Nothing matches the region " + JSON.stringify(region) + ".", "Leave region out to read the whole page.");
  return el;
}
