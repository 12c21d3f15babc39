// Finding elements by what they are and say.

// rankOf says how well a name fits: 0 exact, 1 exact but for case, 2 its beginning, 3 contained, -1 not at all.
function rankOf(name, wanted) {
  if (name === wanted.exact) return 0;
  const folded = name.toLowerCase();
  if (folded === wanted.folded) return 1;
  if (folded.startsWith(wanted.folded)) return 2;
  return folded.includes(wanted.folded) ? 3 : -1;
}

// pattern compiles what the caller gave as a regular expression: /source/flags or a bare source.
function pattern(regex) {
  const parts = /^\/(.*)\/([dgimsuvy]*)$/s.exec(regex);
  try {
    return parts === null ? new RegExp(regex) : new RegExp(parts[1], parts[2].replace(/[gy]/g, ""));
  } catch (e) {
    throw new Refusal("BAD_REQUEST", "The regex " + JSON.stringify(regex) + " is not valid: " + e.message + ".", "It is JavaScript's kind, such as Total: £\\d+ or /total/i.");
  }
}

// find answers the best matches, at most limit, with how many there are.
function find({ role, name, contains, regex, tag, selector, limit, view }) {
  const wanted = name === undefined ? null : { exact: squeeze(name), folded: fold(name) };
  const expression = regex === undefined ? null : pattern(regex);
  const inside = contains === undefined ? null : fold(contains);
  const kind = role === undefined ? null : role.toLowerCase().trim() === "image" ? "img" : role.toLowerCase().trim();
  const chosen = selector === undefined ? null : new Set(pierce(selector));
  // Without any other ask, words alone mean the smallest elements that say them.
  const smallest = inside !== null && kind === null && wanted === null && chosen === null && tag === undefined;
  const smallestMatch = expression !== null && inside === null && kind === null && wanted === null && chosen === null && tag === undefined;
  const answers = new Map();
  const says = (node) => {
    let yes = answers.get(node);
    if (yes === undefined) {
      yes = smallest ? fold(said(node)).includes(inside) : expression.test(squeeze(said(node))) || expression.test(nameOf(node));
      answers.set(node, yes);
    }
    return yes;
  };
  const found = [];
  const consider = (el, own, box) => {
    let rank = 0;
    const label = wanted !== null || expression !== null ? nameOf(el, own) : "";
    if (wanted !== null && (rank = rankOf(label, wanted)) < 0) return;
    if (expression !== null && !expression.test(label) && !expression.test(squeeze(visibleText(el)))) return;
    if (inside !== null && !fold(visibleText(el)).includes(inside)) return;
    const at = box ?? (shown(el) ? boxed(el) : null);
    if (at !== null) found.push({ el, role: own, box: at, rank });
  };
  walk(top(), { operated: false, pointer: false }, (el, context) => {
    const tagName = tagOf(el);
    if (unread.has(tagName)) return null;
    if (hasAny(el) && (attr(el, "aria-hidden") === "true" && chosen === null || has(el, "inert"))) return null;
    let own = roleOf(el);
    let next = context;
    if (!smallest && !smallestMatch && (kind === null || kind === "clickable" || kind === "textbox")) {
      const hand = pointsAt(el, own, tagName, context);
      const operated = operatedRole(el, own, tagName, context, hand);
      if (operated !== "") own = operated;
      if (hand !== context.pointer || operated !== "") next = { operated: context.operated || operated !== "", pointer: hand };
    }
    if (chosen !== null && !chosen.has(el)) return next;
    if (tag !== undefined && tagName !== tag.toLowerCase()) return next;
    if (kind !== null && own !== kind) return next;
    if (smallest || smallestMatch) {
      // What does not contain the words has nothing below it that does; a regular expression may be anchored.
      if (!says(el)) return smallest ? null : next;
      for (const node of composedNodes(el)) if (kindOf(node) === 1 && !unread.has(tagOf(node)) && says(node)) return next;
      consider(el, own, null);
      return next;
    }
    if (chosen === null && tag === undefined && kind === null && own === "") return next;
    consider(el, own, controls.has(own) && shown(el) === false ? paintedBox(el, tagName) : null);
    return next;
  });
  found.sort((a, b) => a.rank - b.rank);
  const seen = view ?? wholeView();
  const rows = found.slice(0, limit).map((item) => ({
    mark: mark(item.el), tag: tagOf(item.el), ...factsOf(item.el, item.role), rect: rectOf(item.box),
    in_viewport: inView(item.box, seen), rank: item.rank,
  }));
  for (const row of rows) {
    if (row.name === "") row.name = cut(squeeze(visibleText(marked(row.mark))), 80);
  }
  return { rows, total: found.length };
}

// said is an element's text by the tree alone, fast and never less than what is painted.
function said(el) {
  let all = el.textContent ?? "";
  if (!reach.openRoots) return all;
  for (const root of rootsBelow(el).slice(1)) all += " " + (root.textContent ?? "");
  return all;
}
