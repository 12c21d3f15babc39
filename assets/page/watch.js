// Watching for what an action changes. A watch sees the document and every open root, from just before the input until
// the page is quiet again, and is then gone; what moved by itself before the input does not count.

const watched = { subtree: true, childList: true, attributes: true, characterData: true };

// stirring are the events that input arrives as; what changes while one is handled is its doing.
const stirring = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "keydown", "keyup", "beforeinput", "input", "pointerover", "mouseover", "mousemove"];

class Watch {
  // el is the target, or null for a watch over a document that the target does not lie in.
  constructor(el) {
    this.el = el;
    this.own = new Map(); // what changes by itself, by node: attribute names, and "" for content
    this.seen = new Map(); // what changed since the input, by node
    this.live = false;
    this.hot = false; // an input event is being handled
    this.last = 0;
    this.events = { click: 0, keydown: 0, input: 0 };
    this.observer = new MutationObserver((records) => this.take(records));
    for (const root of roots()) this.observer.observe(root, watched);
    this.listener = (event) => this.hear(event);
    for (const type of stirring) addEventListener(type, this.listener, { capture: true, passive: true });
  }

  hear(event) {
    if (!event.isTrusted || !this.live) return;
    this.hot = true;
    setTimeout(() => (this.hot = false));
    const { type } = event;
    if (!(type in this.events)) return;
    if (type !== "click" || this.el === null || event.composedPath().includes(this.el)) this.events[type]++;
  }

  // begin starts to count, with everything as it is now.
  begin() {
    if (this.live) return;
    this.take(this.observer.takeRecords());
    this.live = true;
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
      this.last = performance.now();
      let change = this.seen.get(record.target);
      if (change === undefined) {
        change = { direct: false, count: 0, added: [], removed: [], attributes: new Set(), text: false };
        this.seen.set(record.target, change);
      }
      change.direct ||= this.hot;
      change.count++;
      if (record.type === "attributes") change.attributes.add(what);
      else change.text = true;
      change.added.push(...record.addedNodes);
      change.removed.push(...record.removedNodes);
    }
  }

  // changed tells whether anything that only an action explains has happened so far. Focus on the target itself is
  // what every press does and proves nothing.
  changed() {
    this.take(this.observer.takeRecords());
    return this.seen.size > 0 || this.changedBeyond();
  }

  // changedBeyond leaves out the mutations.
  changedBeyond() {
    return this.movedFields().length > 0 || this.url !== location.href || this.title !== inDocument.title(document) ||
      this.layers !== layers() || this.focusTold() || this.scroll[0] !== scrollX || this.scroll[1] !== scrollY;
  }

  // doubtful tells that all there is came later than the input: a clock that ticks looks like that.
  doubtful() {
    return this.seen.size > 0 && !this.changedBeyond() && [...this.seen.values()].every((change) => !change.direct);
  }

  // doubt watches on, at most so many milliseconds, and leaves out what goes on changing without any input.
  async doubt(most) {
    const first = new Map([...this.seen].map(([node, change]) => [node, change.count]));
    const deadline = performance.now() + most;
    while (performance.now() < deadline && this.seen.size > 0 && this.doubtful()) {
      await frame();
      this.take(this.observer.takeRecords());
      for (const [node, count] of first) {
        const now = this.seen.get(node);
        if (now !== undefined && now.count > count) {
          this.own.set(node, { has: () => true });
          this.seen.delete(node);
        }
      }
    }
  }

  focusTold() {
    const now = activeElement();
    // That a child frame has the focus is told by its own watch.
    if (now === this.focus || now === null || tagOf(now) === "body" || tagOf(now) === "iframe") return false;
    if (this.el === null || now === this.el || within(now, this.el) || within(this.el, now)) return isEditable(now) || tagOf(now) === "select";
    return true;
  }

  movedFields() {
    const moved = [];
    for (const [field, before] of this.fields) if (connected(field) && fieldState(field) !== before) moved.push(field);
    return moved;
  }

  // end stops watching and says what was seen.
  end() {
    const changed = this.live && this.changed();
    this.stop();
    if (!this.live) this.begin();
    const fields = this.movedFields();
    const focus = activeElement();
    const total = (count) => [...this.seen.values()].reduce((sum, change) => sum + count(change), 0);
    return {
      changed, mutations: total((change) => change.count), added: total((change) => change.added.length),
      removed: total((change) => change.removed.length), fields: fields.length,
      changes: [...new Set([...fields.slice(0, 4).map((field) => "value of " + brief(field)), ...this.told()])].slice(0, 8),
      focus: focus === this.focus ? undefined : focus === null || tagOf(focus) === "body" ? "nothing" : called(focus),
      scrolled: this.scroll[0] !== scrollX || this.scroll[1] !== scrollY ? { x: pixel(scrollX - this.scroll[0]), y: pixel(scrollY - this.scroll[1]) } : undefined,
      title: inDocument.title(document), url: location.href, events: this.events,
    };
  }

  // told puts the first changes into words, those that the input made at once before the others.
  told() {
    const lines = [];
    for (const [node, change] of [...this.seen].sort((a, b) => b[1].direct - a[1].direct)) {
      if (lines.length >= 8) break;
      for (const name of change.attributes) lines.push(name + " of " + brief(node));
      for (const child of change.added.slice(0, 3)) if (kindOf(child) === 1 && connected(child)) lines.push("added " + brief(child));
      for (const child of change.removed.slice(0, 3)) if (kindOf(child) === 1) lines.push("removed " + brief(child));
      const words = [...change.added, ...change.removed].some((child) => kindOf(child) === 3);
      if (kindOf(node) === 3) lines.push("text of " + brief(parentOf(node)));
      else if (change.text && words) lines.push("text of " + brief(node));
    }
    return lines;
  }

  stop() {
    this.observer.disconnect();
    for (const type of stirring) removeEventListener(type, this.listener, { capture: true });
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
async function settled(watch, most) {
  const began = performance.now();
  await frame();
  await frame();
  const quiet = 30; // ms without a change, two frames
  for (;;) {
    const now = performance.now();
    if (now - began >= most) return;
    if (watch.changed() && now - watch.last >= quiet) return;
    await frame();
  }
}
