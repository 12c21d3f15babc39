// Watching for what an action changes. A watch sees the document and every open root, from just before the input until
// the page is quiet again, and is then gone; what moved by itself before the input does not count.

const watched = { subtree: true, childList: true, attributes: true, characterData: true };

class Watch {
  constructor() {
    this.own = new Map(); // what changed before the input, by node: attribute names and "" for content
    this.live = false;
    this.count = 0;
    this.added = 0;
    this.removed = 0;
    this.last = 0;
    this.samples = [];
    this.events = { click: 0, keydown: 0, input: 0 };
    this.observer = new MutationObserver((records) => this.take(records));
    for (const root of roots()) this.observer.observe(root, watched);
    this.listener = (event) => event.isTrusted && this.live && this.events[event.type]++;
    for (const type of Object.keys(this.events)) addEventListener(type, this.listener, { capture: true, passive: true });
  }

  // begin starts to count, with everything as it is now.
  begin() {
    this.take(this.observer.takeRecords());
    this.live = true;
    this.at = performance.now();
    this.focus = activeElement();
    this.title = inDocument.title(document);
    this.url = location.href;
    this.scroll = [scrollX, scrollY];
    this.layers = layers();
    this.fields = fieldStates();
  }

  take(records) {
    for (const record of records) {
      const what = record.type === "attributes" ? record.attributeName : "";
      const known = this.own.get(record.target);
      if (!this.live) {
        if (known === undefined) this.own.set(record.target, new Set([what]));
        else known.add(what);
        continue;
      }
      if (known?.has(what)) continue;
      this.count++;
      this.added += record.addedNodes.length;
      this.removed += record.removedNodes.length;
      this.last = performance.now();
      if (this.samples.length < 8) this.sample(record);
    }
  }

  sample(record) {
    const { target } = record;
    if (record.type === "attributes") this.add(record.attributeName + " of " + brief(target));
    else if (record.type === "characterData") this.add("text of " + brief(parentOf(target)));
    for (const node of record.addedNodes) this.add(kindOf(node) === 1 ? "added " + brief(node) : "text of " + brief(target));
    for (const node of record.removedNodes) if (kindOf(node) === 1) this.add("removed " + brief(node));
  }

  add(line) {
    if (line !== "" && this.samples.length < 8 && !this.samples.includes(line)) this.samples.push(line);
  }

  // changed tells whether anything that only an action explains has happened so far. Focus on the target itself is
  // what every press does and proves nothing.
  changed(el) {
    this.take(this.observer.takeRecords());
    return this.count > 0 || this.movedFields().length > 0 || this.url !== location.href ||
      this.title !== inDocument.title(document) || this.layers !== layers() || this.focusTold(el) ||
      this.scroll[0] !== scrollX || this.scroll[1] !== scrollY;
  }

  focusTold(el) {
    const now = activeElement();
    // That a child frame has the focus is told by its own watch.
    if (now === this.focus || now === null || tagOf(now) === "body" || tagOf(now) === "iframe") return false;
    if (el === null || now === el || within(now, el) || within(el, now)) return isEditable(now) || tagOf(now) === "select";
    return true;
  }

  movedFields() {
    const moved = [];
    for (const [field, before] of this.fields) if (connected(field) && fieldState(field) !== before) moved.push(field);
    return moved;
  }

  // end stops watching and says what was seen.
  end(el) {
    const changed = this.live && this.changed(el);
    const fields = this.live ? this.movedFields() : [];
    const focus = activeElement();
    this.stop();
    return {
      changed, mutations: this.count, added: this.added, removed: this.removed, fields: fields.length,
      changes: [...fields.slice(0, 4).map((field) => "value of " + brief(field)), ...this.samples].slice(0, 8),
      focus: this.live && focus !== this.focus ? (focus === null || tagOf(focus) === "body" ? "nothing" : called(focus)) : undefined,
      scrolled: this.live && (this.scroll[0] !== scrollX || this.scroll[1] !== scrollY) ? { x: pixel(scrollX - this.scroll[0]), y: pixel(scrollY - this.scroll[1]) } : undefined,
      layers: this.live && this.layers !== layers(), title: inDocument.title(document), url: location.href, events: this.events,
    };
  }

  stop() {
    this.observer.disconnect();
    for (const type of Object.keys(this.events)) removeEventListener(type, this.listener, { capture: true });
  }
}

// brief names a node for the list of changes, with the first words it says.
function brief(node) {
  if (node === null || kindOf(node) !== 1) return "the document";
  const name = cut(nameOf(node) || squeeze(shown(node) ? said(node) : ""), 60);
  const tag = "<" + tagOf(node) + (attr(node, "id") ? "#" + attr(node, "id") : "") + ">";
  return name === "" || isSecretField(node) ? tag : tag + " " + JSON.stringify(name);
}

// layers counts what is open above the page; an open popover shows in no attribute.
const layers = () => inDocument.query(document, ":popover-open, dialog[open]").length;

const mostFields = 2000; // enough for any form; a larger page is watched by its mutations

function fieldStates() {
  const states = new Map();
  for (const root of roots()) {
    for (const field of query(root, "input, select, textarea")) {
      if (states.size >= mostFields) return states;
      states.set(field, fieldState(field));
    }
  }
  return states;
}

const fieldState = (field) => {
  if (tagOf(field) === "select") return String(field.selectedIndex) + [...field.selectedOptions].length;
  if (field.type === "checkbox" || field.type === "radio") return String(field.checked) + field.indeterminate;
  return field.value;
};

// settled waits for the effect of an input: two frames, then as long as things still change; a page that shows nothing
// gets the whole window.
async function settled(watch, el, most) {
  const began = performance.now();
  await frame();
  await frame();
  const quiet = 30; // ms without a change, two frames
  for (;;) {
    const now = performance.now();
    if (now - began >= most) return;
    if (watch.changed(el) && now - watch.last >= quiet) return;
    await frame();
  }
}
