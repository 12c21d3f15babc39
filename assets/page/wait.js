// Waiting for conditions, in one loop that leaves nothing behind.

// documents lists this document and the same-origin documents of its child frames.
function documents(from = document, list = []) {
  list.push(from);
  for (const el of inDocument.query(from, "iframe")) {
    let inner = null;
    try {
      inner = el.contentDocument;
    } catch {
      inner = null;
    }
    if (inner !== null && shown(el)) documents(inner, list);
  }
  return list;
}

function everywhere(selector) {
  const found = pierce(selector);
  for (const inner of documents().slice(1)) {
    const scopes = [inner];
    if (reach.openRoots) {
      for (let i = 0; i < scopes.length; i++) {
        for (const el of query(scopes[i], "*")) if (openRootOf(el) !== null) scopes.push(openRootOf(el));
      }
    }
    for (const scope of scopes) found.push(...query(scope, selector));
  }
  return found;
}

const wholeText = () => documents().map((d) => visibleText(inDocument.top(d))).join("\n");

// excerpt is the words around a match.
const excerpt = (text, at, length) => squeeze(text.slice(Math.max(0, at - 30), at + length + 30));

// looks are the conditions: each says whether it holds and what was seen.
const looks = {
  selector({ selector, visible }) {
    const all = everywhere(selector);
    const seen = all.filter((el) => shown(el) && boxed(el) !== null);
    return { met: visible === false ? all.length > 0 : seen.length > 0, count: all.length, visible: seen.length, seen: seen[0] ? called(seen[0]) : "" };
  },
  gone({ selector }) {
    const all = everywhere(selector);
    const seen = all.filter((el) => shown(el) && boxed(el) !== null);
    return { met: seen.length === 0, count: all.length, visible: seen.length, seen: seen[0] ? called(seen[0]) : "" };
  },
  text({ text: wanted, regex }) {
    const words = wholeText();
    if (regex !== undefined) {
      const match = pattern(regex).exec(words);
      return { met: match !== null, page_chars: words.length, seen: match === null ? squeeze(words).slice(0, 80) : excerpt(words, match.index, match[0].length) };
    }
    const line = squeeze(words);
    const at = line.toLowerCase().indexOf(fold(wanted));
    return { met: at >= 0, page_chars: words.length, seen: at < 0 ? line.slice(0, 80) : excerpt(line, at, wanted.length) };
  },
  url({ pattern: wanted, regex }) {
    const here = location.href;
    let met = wanted !== undefined && here.includes(wanted);
    if (!met) {
      const source = regex ?? wanted;
      try {
        met = pattern(source).test(here);
      } catch (e) {
        if (regex !== undefined) throw e;
      }
    }
    return { met, seen: cut(here, 300) };
  },
};

// wait polls until the conditions hold or until, a time of Date.now(), has passed.
async function wait({ conditions, all, until, poll }) {
  for (let attempts = 1; ; attempts++) {
    const began = performance.now();
    const results = conditions.map((condition) => ({ type: condition.type, ...looks[condition.type](condition) }));
    const ok = all ? results.every((r) => r.met) : results.some((r) => r.met);
    const left = until - Date.now();
    if (ok || left <= 0) return { ok, attempts, results, url: location.href };
    // A large page is not looked at more than half of the time.
    const rest = Math.max(poll, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, Math.min(rest, left)));
  }
}
