// Where an action goes: the element, whether it may be acted on, and a point that really reaches it.

// deepestAt is the element that a press at the point goes to, through open roots.
function deepestAt(x, y) {
  let el = inDocument.at(document, x, y);
  while (el !== null) {
    const root = shadowOf(el);
    const inner = root === null ? null : inRoot.at(root, x, y);
    if (inner === null || inner === el || rootOf(inner) !== root) break;
    el = inner;
  }
  return el;
}

// targetOf resolves what the caller named: a mark, or a selector, of whose matches the first that shows is meant.
function targetOf({ mark: number, selector }) {
  if (number !== undefined) {
    const el = marked(number);
    if (el === null) throw new Refusal("STALE_REF", "The element with mark " + number + " is gone.", "Observe or find again, and use the new mark.");
    if (!reach.openRoots && rootOf(el) instanceof ShadowRoot) {
      throw new Refusal("DEEP_OPEN_ROOTS_DISABLED", "The element with mark " + number + " is inside a shadow root.");
    }
    return { el, matched: 1 };
  }
  const all = pierce(selector);
  if (all.length === 0) return null;
  return { el: all.find((el) => shown(el) && boxed(el) !== null) ?? all[0], matched: all.length };
}

// fieldOf is the editable field that typing into the element means: itself, the control of a label, or the first
// field painted inside it, as for a custom element around an input.
function fieldOf(el) {
  if (takesKeys(el)) return el;
  if (tagOf(el) === "label" && el.control !== null) return takesKeys(el.control) ? el.control : null;
  let field = null;
  walk(el, true, (inner) => {
    if (field !== null || unread.has(tagOf(inner))) return null;
    if (takesKeys(inner) && shown(inner)) field = inner;
    return true;
  });
  return field;
}

// takesKeys tells what a person types into; a native select is chosen from by typing.
function takesKeys(el) {
  if (isEditable(el) || tagOf(el) === "select") return true;
  const role = roleOf(el);
  return (role === "textbox" || role === "searchbox" || role === "combobox" || role === "spinbutton") && focusable(el);
}

// refuseUnfit refuses an element that must not be acted on, before anything is sent.
function refuseUnfit(el, action) {
  if (!connected(el)) throw new Refusal("STALE_REF", "The target left the document.", "Observe or find again.");
  if (action === "hover" || action === "scroll_into_view") return;
  if (isDisabled(el)) {
    throw new Refusal("NOT_ENABLED", "The target, " + called(el) + ", is disabled.", "Do what enables it first, or wait_for it.");
  }
  if (action === "type" && isReadOnly(el)) {
    throw new Refusal("NOT_EDITABLE", "The target, " + called(el) + ", is read-only.", "Nothing was sent and its value is unharmed.");
  }
  if (tagOf(el) === "input" && el.type === "file" && (action === "click" || action === "double_click")) {
    throw new Refusal("NOT_SUPPORTED", "A click on " + called(el) + " opens the system's file chooser, which only a person can answer.", "Ask the person to choose the file.");
  }
}

// pointsOf lists where to try a press: the middle of each painted fragment, then places around the middle.
function pointsOf(el) {
  const points = [];
  const fragments = [...fragmentsOf(el)].filter((box) => box.width > 0 && box.height > 0);
  if (fragments.length === 0) {
    const box = boxed(el);
    if (box !== null) fragments.push(box);
  }
  for (const box of fragments) {
    const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
    const up = Math.max(box.top, 0), down = Math.min(box.bottom, innerHeight);
    if (right <= left || down <= up) continue;
    for (const [across, along] of spread) points.push({ x: left + (right - left) * across, y: up + (down - up) * along });
  }
  return points;
}

const spread = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5]];

// between tells whether another control lies between what is hit and the element: a press there would be the other's.
function between(hit, el) {
  for (let at = hit; at !== null && at !== el; at = composedParent(at)) {
    if (controls.has(roleOf(at)) || focusable(at)) return true;
  }
  return false;
}

// reachable is a point at which a press reaches the element, or what was hit in its place.
function reachable(el) {
  let inner = null;
  let cover = null;
  for (const point of pointsOf(el)) {
    const hit = deepestAt(point.x, point.y);
    if (hit === null) continue;
    if (!within(hit, el)) cover ??= hit;
    else if (between(hit, el)) inner ??= point;
    else return { point };
  }
  if (inner !== null && tagOf(el) !== "label") return { point: inner };
  const tag = tagOf(el);
  if (tag === "input" && (el.type === "checkbox" || el.type === "radio")) {
    for (const label of labelsOf(el)) {
      const through = reachable(label);
      if (through.point !== undefined) return { ...through, label };
    }
  }
  return { cover };
}

const alignments = ["center", "end", "start", "nearest"];

// aimAt brings the element into view when it must and finds the point to press.
function aimAt(el, mayScroll) {
  let found = whole(el) ? reachable(el) : { cover: null };
  if (found.point !== undefined) return { ...found, scrolled: false };
  if (!mayScroll) {
    found = reachable(el);
    return { ...found, scrolled: false };
  }
  let cover = found.cover;
  for (const block of alignments) {
    const shape = shown(el) ? el : (labelsOf(el)[0] ?? el);
    scrollTo(shape, { block, inline: block, behavior: "instant" });
    found = reachable(el);
    if (found.point !== undefined) return { ...found, scrolled: true };
    cover ??= found.cover;
  }
  return { cover, scrolled: true };
}

// whole tells whether all of the element is inside the viewport; one larger than it never is.
function whole(el) {
  const box = boxed(el);
  return box !== null && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
}

function refuseUnreached(el, cover) {
  const what = called(el);
  if (!shown(el) && !labelsOf(el).length) {
    throw new Refusal("NOT_CLICKABLE", "The target, " + what + ", is hidden.", "Do what shows it first, or wait_for it.", { reason: "hidden" });
  }
  if (boxed(el) === null) {
    throw new Refusal("NOT_CLICKABLE", "The target, " + what + ", has no size on the page.", "Find what is painted in its place.", { reason: "no size" });
  }
  if (cover !== null && cover !== undefined) {
    const by = called(cover);
    throw new Refusal("NOT_CLICKABLE", "The target, " + what + ", is covered by " + by + ".", "Close or move what covers it, then try again.", { reason: "covered", covered_by: by });
  }
  throw new Refusal("NOT_CLICKABLE", "The target, " + what + ", cannot be brought into view.", "It may be clipped by its container; scroll that container.", { reason: "out of view" });
}

// frame resolves at the next painted frame, or soon after where the page paints none.
const unpainted = 60; // ms, longer than three frames at 60 Hz
function frame() {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, unpainted);
    requestAnimationFrame(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

// still waits until the element's box stays the same for two frames.
const restless = 1500; // ms, after which a target that never rests is given up
async function still(el) {
  const began = performance.now();
  let last = boxOf(el);
  for (let same = 0; same < 2; ) {
    await frame();
    const box = boxOf(el);
    const moved = Math.abs(box.x - last.x) + Math.abs(box.y - last.y) + Math.abs(box.width - last.width) + Math.abs(box.height - last.height);
    same = moved < 0.5 ? same + 1 : 0;
    last = box;
    if (performance.now() - began > restless) {
      throw new Refusal("NOT_CLICKABLE", "The target, " + called(el) + ", does not stop moving.", "Stop the animation, or act on x and y.", { reason: "moving" });
    }
  }
}

// describe is what an action answers about its target.
function describe(el, box = boxed(el)) {
  const role = roleOf(el);
  const facts = factsOf(el, role);
  if (facts.name === "") facts.name = cut(squeeze(visibleText(el)), 80);
  return { ...facts, mark: markOf.get(el), tag: tagOf(el), rect: box === null ? undefined : rectOf(box) };
}
