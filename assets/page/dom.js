// Reading the DOM. Every property is read through the getter of its prototype: a form control named "parentNode" or
// an image named "body" shadows the property on its form or document, in every world, and would mislead a plain read.

const plain = (method) => Function.prototype.call.bind(method);
const reader = (type, name) => plain(Object.getOwnPropertyDescriptor(type.prototype, name).get);

const parentOf = reader(Node, "parentNode");
const kindOf = reader(Node, "nodeType");
const firstOf = reader(Node, "firstChild");
const nextOf = reader(Node, "nextSibling");
const dataOf = reader(CharacterData, "data");
const connected = reader(Node, "isConnected");
const rootOf = plain(Node.prototype.getRootNode);
const holds = plain(Node.prototype.contains);
const tagOf = reader(Element, "localName");
const firstElement = reader(Element, "firstElementChild");
const lastElement = reader(Element, "lastElementChild");
const previousElement = reader(Element, "previousElementSibling");
const nextElement = reader(Element, "nextElementSibling");
const attr = plain(Element.prototype.getAttribute);
const has = plain(Element.prototype.hasAttribute);
const hasAny = plain(Element.prototype.hasAttributes);
const matches = plain(Element.prototype.matches);
const closest = plain(Element.prototype.closest);
const boxOf = plain(Element.prototype.getBoundingClientRect);
const fragmentsOf = plain(Element.prototype.getClientRects);
const paints = plain(Element.prototype.checkVisibility);
const scrollTo = plain(Element.prototype.scrollIntoView);
const openRootOf = reader(Element, "shadowRoot");
const assignedTo = (node) => (kindOf(node) === 1 ? slotOfElement(node) : kindOf(node) === 3 ? slotOfText(node) : null);
const slotOfElement = reader(Element, "assignedSlot");
const slotOfText = reader(Text, "assignedSlot");
const assignedNodes = plain(HTMLSlotElement.prototype.assignedNodes);
const inDocument = {
  top: reader(Document, "documentElement"),
  active: reader(Document, "activeElement"),
  title: reader(Document, "title"),
  state: reader(Document, "readyState"),
  query: plain(Document.prototype.querySelectorAll),
  at: plain(Document.prototype.elementFromPoint),
};
const inRoot = {
  active: reader(ShadowRoot, "activeElement"),
  first: reader(DocumentFragment, "firstElementChild"),
  last: reader(DocumentFragment, "lastElementChild"),
  query: plain(DocumentFragment.prototype.querySelectorAll),
  at: plain(ShadowRoot.prototype.elementFromPoint),
};
const queryElement = plain(Element.prototype.querySelectorAll);

// query finds by selector in a document, an open root or an element.
function query(root, selector) {
  switch (kindOf(root)) {
    case 9: return inDocument.query(root, selector);
    case 11: return inRoot.query(root, selector);
    default: return queryElement(root, selector);
  }
}

// How far reading goes; the caller sets it from the person's settings at every entry.
const reach = { openRoots: true };

// shadowOf is the open root that may be read, or null.
const shadowOf = (el) => (reach.openRoots ? openRootOf(el) : null);

// isCustom tells an autonomous custom element by its name.
const isCustom = (el) => tagOf(el).includes("-");

// composedNodes lists an element's children as they are painted: those of its open root in place of its own, those a
// slot was given in place of the slot's fallback.
function composedNodes(el) {
  if (tagOf(el) === "slot" && el instanceof HTMLSlotElement) {
    const given = reach.openRoots ? assignedNodes(el) : [];
    if (given.length > 0) return given;
  }
  const list = [];
  for (let node = firstOf(shadowOf(el) ?? el); node !== null; node = nextOf(node)) list.push(node);
  return list;
}

// composedParent is the element that the node is painted in, or null at the top of the document.
function composedParent(node) {
  const slot = reach.openRoots ? assignedTo(node) : null;
  if (slot !== null) return slot;
  const parent = parentOf(node);
  if (parent === null || kindOf(parent) === 9) return null;
  return kindOf(parent) === 11 ? (parent.host ?? null) : parent;
}

// within tells whether the node is the element or is painted inside it.
function within(node, el) {
  for (let at = node; at !== null; at = composedParent(at)) if (at === el) return true;
  return false;
}

// walk visits the elements below and including start in the order they are painted. visit gets the element and what
// its parent's visit returned, and returns what its children get, or null to leave them out.
function walk(start, context, visit) {
  const elements = [start];
  const contexts = [context];
  while (elements.length > 0) {
    const el = elements.pop();
    const own = visit(el, contexts.pop());
    if (own === null) continue;
    if (tagOf(el) === "slot" && reach.openRoots && el instanceof HTMLSlotElement) {
      const given = assignedNodes(el);
      if (given.length > 0) {
        for (let i = given.length - 1; i >= 0; i--) {
          if (kindOf(given[i]) === 1) {
            elements.push(given[i]);
            contexts.push(own);
          }
        }
        continue;
      }
    }
    const root = shadowOf(el);
    for (let child = root === null ? lastElement(el) : inRoot.last(root); child !== null; child = previousElement(child)) {
      elements.push(child);
      contexts.push(own);
    }
  }
}

// labelsOf lists the labels of a control. The property of that name goes through the whole document each time, so the
// labels are looked up once for all and forgotten when the script pauses.
let labelled = null;
function labelsOf(el) {
  if (labelled === null) {
    labelled = new WeakMap();
    queueMicrotask(() => (labelled = null));
  }
  const root = rootOf(el);
  let controls = labelled.get(root);
  if (controls === undefined) {
    controls = new Map();
    for (const label of kindOf(root) === 9 || kindOf(root) === 11 ? query(root, "label") : []) {
      const control = label.control;
      if (control !== null) controls.set(control, [...(controls.get(control) ?? []), label]);
    }
    labelled.set(root, controls);
  }
  return controls.get(el) ?? [];
}

// top is the element that a whole reading starts from.
const top = () => inDocument.top(document);

// roots lists the document and every open root in it, hosts in document order.
function roots() {
  const list = [document];
  if (!reach.openRoots) return list;
  for (let i = 0; i < list.length; i++) {
    for (const el of query(list[i], "*")) {
      const root = openRootOf(el);
      if (root !== null) list.push(root);
    }
  }
  return list;
}

// activeElement is the focused element, through open roots.
function activeElement() {
  let el = inDocument.active(document);
  for (let root = el && shadowOf(el); root !== null && inRoot.active(root) !== null; root = shadowOf(el)) el = inRoot.active(root);
  return el;
}

const squeeze = (text) => text.replace(/[\s\u200b]+/g, " ").trim();
const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
const fold = (text) => squeeze(text).toLowerCase();
const pixel = (n) => Math.round(n * 100) / 100;
const rectOf = (box) => ({ x: pixel(box.left), y: pixel(box.top), w: pixel(box.width), h: pixel(box.height) });
