// Selectors that reach through open roots.

// pierce finds by selector in the document and in every open root, in document order. ">>>", and a blank where the
// plain selector finds nothing, also lead into the roots below an element.
function pierce(selector) {
  const steps = selector.split(">>>").map((step) => step.trim());
  if (steps.some((step) => step === "")) throw badSelector(selector);
  if (steps.length > 1) return descend(steps, selector);
  const direct = queryAll(roots(), selector, selector);
  if (direct.length > 0) return direct;
  const words = compounds(selector);
  return words.length > 1 ? descend(words, selector) : [];
}

const badSelector = (selector) => new Refusal("BAD_REQUEST", "The selector " + JSON.stringify(selector) + " is not valid CSS.", "Check its brackets and quotes.");

function queryAll(scopes, selector, whole) {
  const found = [];
  for (const scope of scopes) {
    try {
      found.push(...query(scope, selector));
    } catch {
      throw badSelector(whole);
    }
  }
  return found;
}

function descend(steps, whole) {
  let scopes = roots();
  let found = [];
  for (const step of steps) {
    found = [...new Set(queryAll(scopes, step, whole))];
    scopes = found.flatMap(rootsBelow);
  }
  return found;
}

// rootsBelow lists an element and every open root in its subtree.
function rootsBelow(el) {
  const list = [el];
  const own = shadowOf(el);
  if (own !== null) list.push(own);
  for (let i = 0; i < list.length; i++) {
    for (const inner of query(list[i], "*")) {
      const root = shadowOf(inner);
      if (root !== null) list.push(root);
    }
  }
  return list;
}

// compounds splits a selector at its descendant combinators: blanks outside brackets and beside no other combinator.
function compounds(selector) {
  const parts = [""];
  let depth = 0;
  let quote = "";
  const text = selector.trim().replace(/\s*([>+~,])\s*/g, (all, sign, at) => (insideBrackets(selector.trim(), at) ? all : sign));
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote !== "") quote = c === quote ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "[" || c === "(") depth++;
    else if (c === "]" || c === ")") depth--;
    else if (c === "," && depth === 0) return [selector];
    else if (/\s/.test(c) && depth === 0) {
      if (parts.at(-1) !== "") parts.push("");
      continue;
    }
    parts[parts.length - 1] += c;
  }
  return parts.filter((part) => part !== "");
}

function insideBrackets(text, at) {
  let depth = 0;
  for (let i = 0; i < at; i++) {
    if (text[i] === "[" || text[i] === "(") depth++;
    if (text[i] === "]" || text[i] === ")") depth--;
  }
  return depth > 0;
}
