// Frames: where each child frame lies in its parent, found without asking the browser. A child knows its place among
// its parent's frames even across origins, because parent[i] === window may be compared by anyone.

// frameElements lists the frame elements of this document as they are painted.
function frameElements() {
  const list = [];
  walk(top(), true, (el) => {
    const tag = tagOf(el);
    if (tag === "head" || tag === "template") return null;
    if (tag === "iframe" || tag === "frame") list.push(el);
    return true;
  });
  return list;
}

// placeOf measures the content box of a frame element: its corner in this viewport and the scale of what is inside.
function placeOf(el) {
  const box = boxOf(el);
  const style = getComputedStyle(el);
  const scaleX = el.offsetWidth > 0 ? box.width / el.offsetWidth : 1;
  const scaleY = el.offsetHeight > 0 ? box.height / el.offsetHeight : 1;
  const inset = (side) => Number.parseFloat(style["padding" + side]) || 0;
  return {
    x: box.left + (el.clientLeft + inset("Left")) * scaleX,
    y: box.top + (el.clientTop + inset("Top")) * scaleY,
    w: (el.clientWidth - inset("Left") - inset("Right")) * scaleX,
    h: (el.clientHeight - inset("Top") - inset("Bottom")) * scaleY,
    scale_x: scaleX, scale_y: scaleY,
    shown: shown(el) && box.width > 0 && box.height > 0,
  };
}

// indexOf is a frame's number among its parent's frames, or -1 for one inside a shadow root, which has none.
function indexOf(owner, frame) {
  for (let i = 0; i < owner.length; i++) if (owner[i] === frame) return i;
  return -1;
}

const contentOf = (el) => el.contentWindow;

// frames lists the places of this document's child frames.
function frames() {
  const list = frameElements().map((el, slot) => ({
    slot, index: indexOf(window, contentOf(el)), name: nameOf(el, "iframe") || (attr(el, "name") ?? ""), ...placeOf(el),
  }));
  return { w: innerWidth, h: innerHeight, list };
}

// frameSelf says which place of its parent this document has. A same-origin child sees its own frame element, and
// with it whether that lies in a closed root, whose content is not read; any other child knows its number.
function frameSelf() {
  if (parent === window) return { index: -1 };
  let el = null;
  try {
    el = frameElement;
  } catch {
    el = null;
  }
  if (el === null) return { index: indexOf(parent, window), foreign: true };
  for (let root = rootOf(el); root.host !== undefined; root = rootOf(root.host)) {
    if (root.mode === "closed") return { index: -1, sealed: true };
    if (!reach.openRoots) return { index: -1, unreached: true };
  }
  return { index: indexOf(parent, window), place: { name: attr(el, "title") ?? attr(el, "name") ?? "", ...placeOf(el) } };
}

// slotElement is the frame element with the given slot of frames.
const slotElement = (slot) => frameElements()[slot] ?? null;

// slotOf is the slot of a frame element, or -1.
const frameSlot = (el) => frameElements().indexOf(el);

// throughFrame takes a point of a child frame to this viewport and tells whether a press there reaches the child, or
// what is in the way. A point outside the view is brought into it first.
function throughFrame({ slot, x, y, scroll }) {
  const el = slotElement(slot);
  if (el === null) throw new Refusal("STALE_REF", "The frame of the target is gone.", "Observe the page again.");
  for (let tries = 0; ; tries++) {
    const place = placeOf(el);
    const point = { x: place.x + x * place.scale_x, y: place.y + y * place.scale_y };
    const hit = deepestAt(point.x, point.y);
    if (hit === el) return { ...point, reached: true };
    const inside = point.x >= 0 && point.y >= 0 && point.x < innerWidth && point.y < innerHeight;
    if (!scroll || tries > 0 || inside) return { ...point, reached: false, covered_by: hit === null ? "" : called(hit) };
    bring(point);
  }
}

// bring scrolls this document so that a point of it comes to the middle of the view.
const bring = ({ x, y }) => scrollBy({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: "instant" });
