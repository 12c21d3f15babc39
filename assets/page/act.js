// Acting, in steps: aim, ready, (the trusted input comes from outside), typed, settle. An act is remembered by its
// number between the steps and forgotten at the last one.

const acts = new Map();
let lastAct = 0;

const forgotten = 30_000; // ms after which an act whose caller vanished is cleaned up

function remember(act) {
  lastAct++;
  acts.set(lastAct, act);
  act.late = setTimeout(drop, forgotten, { id: lastAct });
  return lastAct;
}

// drop ends an act without a report.
function drop({ id }) {
  const act = acts.get(id);
  if (act === undefined) return false;
  acts.delete(id);
  clearTimeout(act.late);
  act.watch?.stop();
  return true;
}

// aim resolves the target, makes sure that it may be acted on and finds the point to press. Nothing is sent yet.
async function aim({ mark: number, selector, action, dry, wait, known }) {
  refuseUnseen();
  const deadline = performance.now() + wait;
  const target = known === undefined ? targetOf({ mark: number, selector }) : { el: acts.get(known)?.el ?? null, matched: 1 };
  drop({ id: known });
  if (target === null || target.el === null) return { missing: true };
  let el = target.el;
  if (action === "type") {
    const field = fieldOf(el);
    if (field === null) {
      throw new Refusal("NOT_EDITABLE", "The target, " + called(el) + ", takes no text.", mayBeHost(el) ?
        "It may hold its field in a closed root: act on x and y of the field." : "Find the field itself, for example by role textbox.");
    }
    el = field;
  }
  if (dry) return dryAim(el, action, target);
  const watch = new Watch(el);
  try {
    for (;;) {
      try {
        refuseUnfit(el, action);
        if (action === "focus") return begun(el, target, watch, { scrolled: false });
        if (!shown(el) && labelsOf(el).length === 0) refuseUnreached(el, null);
        if (action === "scroll_into_view") {
          const before = boxOf(el);
          scrollTo(el, { block: "center", inline: "center", behavior: "instant" });
          await still(el);
          const after = boxOf(el);
          return { ...begun(el, target, watch, { scrolled: true }), moved: { x: pixel(before.x - after.x), y: pixel(before.y - after.y) } };
        }
        await still(el);
        const aimed = aimAt(el, true);
        if (aimed.point === undefined) refuseUnreached(el, aimed.cover);
        return begun(el, target, watch, aimed);
      } catch (e) {
        if (!(e instanceof Refusal) || performance.now() >= deadline || !connected(el)) throw e;
        await frame();
      }
    }
  } catch (e) {
    watch.stop();
    throw e;
  }
}

// refuseUnseen refuses a page without layout: nothing in it can be pressed.
function refuseUnseen() {
  if (parent === window && (innerWidth === 0 || innerHeight === 0)) {
    throw new Refusal("NO_VIEWPORT", "The tab has no layout: its viewport is 0×0.", "Show the browser window, then try again.");
  }
}

function begun(el, target, watch, aimed) {
  const id = remember({ el, watch, point: aimed.point, label: aimed.label });
  return {
    id, point: aimed.point, scrolled: aimed.scrolled, matched: target.matched, target: describe(el),
    by_focus: tagOf(el) === "select", opens_tab: (closest(el, "a[target],area[target],form[target]")?.target ?? "_self") === "_blank" || undefined, through_label: aimed.label === undefined ? undefined : true,
  };
}

function dryAim(el, action, target) {
  let refused;
  const aimed = aimAt(el, false);
  try {
    refuseUnfit(el, action);
    if (aimed.point === undefined && whole(el)) refuseUnreached(el, aimed.cover);
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    refused = { code: e.code, message: e.message };
  }
  return { point: aimed.point, matched: target.matched, target: describe(el), refused };
}

// aimPoint finds what lies at a point: an element to act on, or a child frame to go on in.
function aimPoint({ x, y, action, dry }) {
  refuseUnseen();
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) {
    throw new Refusal("BAD_REQUEST", "The point is outside the viewport of " + innerWidth + "×" + innerHeight + ".", "Coordinates are CSS pixels of the viewport; scroll first.");
  }
  const hit = deepestAt(x, y);
  if (hit === null) throw new Refusal("NO_TARGET", "Nothing is at that point.");
  if (tagOf(hit) === "iframe" || tagOf(hit) === "frame") {
    const place = placeOf(hit);
    const inside = x >= place.x && y >= place.y && x < place.x + place.w && y < place.y + place.h;
    if (inside) return { frame: { slot: frameSlot(hit), index: indexOf(window, contentOf(hit)) } };
  }
  const sealed = sealedAt(hit);
  let el = hit;
  if (sealed === null) {
    for (let at = hit; at !== null; at = composedParent(at)) {
      if (controls.has(roleOf(at)) || focusable(at) || isDisabled(at)) {
        el = at;
        break;
      }
    }
    if (action === "type") {
      const field = fieldOf(el);
      if (field === null) throw new Refusal("NOT_EDITABLE", "What lies at that point, " + called(el) + ", takes no text.", "Aim at the field itself.");
      el = field;
    }
    refuseUnfit(el, action);
  }
  if (dry) return { target: describe(el), sealed: sealed !== null };
  const id = remember({ el, watch: new Watch(sealed ?? el), point: { x, y }, sealed: sealed !== null });
  return { id, target: describe(el), sealed: sealed !== null };
}

// mayBeHost tells an element that can have a closed root: no open one, and of a kind that can have any.
const mayBeHost = (el) => openRootOf(el) === null && (isCustom(el) || (hostTags.has(tagOf(el)) && seemsSealed(el, tagOf(el))));

// sealedAt is the host whose closed root a point may lie in, or null. What a closed root has slotted counts to it
// when it is nothing that is operated by itself.
function sealedAt(hit) {
  if (mayBeHost(hit)) return hit;
  if (controls.has(roleOf(hit)) || takesKeys(hit)) return null;
  const parent = parentOf(hit);
  return parent !== null && kindOf(parent) === 1 && isCustom(parent) && openRootOf(parent) === null ? parent : null;
}

// ready looks once more, when the pointer has arrived: the target must still be where it was and receive the press.
function ready({ id }) {
  const act = acts.get(id);
  if (act === undefined) return { gone: true };
  const { el, point } = act;
  if (act.sealed !== true && point !== undefined) {
    const hit = deepestAt(point.x, point.y);
    const reached = hit !== null && (within(hit, el) || (act.label !== undefined && within(hit, act.label)));
    if (!connected(el) || !reached) return { moved: true };
  }
  act.watch.begin();
  return { ready: true, title: act.watch.title };
}

// watchOnly begins a watch in a document that is not the target's own.
function watchOnly() {
  refuseUnseen();
  const watch = new Watch(null);
  watch.begin();
  return { id: remember({ el: null, watch }), title: watch.title };
}

// focus puts the focus on the target by script; it is how an element is reached that a press would set off.
function focus({ id }) {
  const act = acts.get(id);
  if (act === undefined) return { gone: true };
  act.el.focus({ preventScroll: true });
  const now = activeElement();
  return { focused: now !== null && (within(now, act.el) || within(act.el, now)) };
}

// typing notes the field's value before the keys come, and whether they will reach it.
function typing({ id }) {
  const act = acts.get(id);
  if (act === undefined) return { gone: true };
  const now = activeElement();
  if (act.sealed) return { focused: true, length: 0 };
  act.before = rawValue(act.el);
  return {
    focused: now !== null && (within(now, act.el) || within(act.el, now)), focus: now === null ? "" : called(now),
    length: act.before.length, multiline: tagOf(act.el) === "textarea" || act.el.isContentEditable === true,
  };
}

// cleared notes the value once the old one was removed.
function cleared({ id }) {
  const act = acts.get(id);
  if (act === undefined) return { gone: true };
  if (act.sealed) return { length: 0 };
  act.kept = rawValue(act.el);
  return { length: act.kept.length };
}

// secret marks the target before a secret is typed into it, so that no later reading tells its value.
function secret({ id }) {
  const act = acts.get(id);
  if (act !== undefined && !act.sealed) secretTyped.add(act.el);
  return true;
}

// peek waits, at most so many milliseconds, for the page to show what the input did.
async function peek({ id, most }) {
  const act = acts.get(id);
  if (act === undefined) return { gone: true };
  await settled(act.watch, most);
  return { changed: act.watch.changed(), doubtful: act.watch.doubtful() };
}

// doubt watches on to tell an effect from what changes by itself.
async function doubt({ id, most }) {
  await acts.get(id)?.watch.doubt(most);
  return true;
}

// settle ends the act and reports what was seen.
function settle({ id, text, cleared: cleaned }) {
  const act = acts.get(id);
  if (act === undefined) return { gone: true };
  try {
    const typed = text === undefined ? undefined : typedReport(act, text, cleaned);
    const report = act.watch.end();
    return { ...report, typing: typed, target_gone: act.el !== null && !connected(act.el) };
  } finally {
    drop({ id });
  }
}

function typedReport(act, text, cleaned) {
  const { events } = act.watch;
  if (act.sealed) return { keydowns: events.keydown, inputs: events.input };
  const before = act.before ?? "";
  const start = cleaned ? (act.kept ?? before) : before;
  const after = rawValue(act.el);
  const private_ = isSecretField(act.el);
  const plainText = text.replace(/\r\n?/g, "\n");
  return {
    keydowns: events.keydown, inputs: events.input,
    chars_before: [...before].length, chars_after: [...after].length,
    landed: text === "" ? (cleaned ? after === "" : true) : after !== start,
    exact: after === (cleaned ? "" : before) + plainText || (cleaned && after === plainText),
    uncleared: cleaned && start !== "" ? true : undefined,
    value: private_ ? undefined : cut(after, 500),
    secret: private_ ? true : undefined,
  };
}

// linger waits inside this document; a navigation cuts it short.
async function linger({ ms }) {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return true;
}

// arrived waits until this document can be read.
async function arrived({ ms }) {
  const deadline = performance.now() + ms;
  while (inDocument.state(document) === "loading" && performance.now() < deadline) await frame();
  return { url: location.href, title: inDocument.title(document), ready_state: inDocument.state(document) };
}
