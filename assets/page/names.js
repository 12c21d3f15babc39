// Accessible names, by the accname algorithm in the parts that pages use: labelledby, label, the native sources of
// each element, content through open roots and slots, title, placeholder.

// labelling holds the roles whose own value stands in for them inside another element's label.
const valueInLabel = new Set("textbox searchbox combobox listbox spinbutton slider".split(" "));

// nameOf is the accessible name, whitespace collapsed, or "".
function nameOf(el, role = roleOf(el)) {
  // Most names on a page are one text node inside an element without labels of any kind.
  const only = firstOf(el);
  if (contentNamed.has(role) && only !== null && nextOf(only) === null && kindOf(only) === 3 && openRootOf(el) === null &&
      !has(el, "aria-label") && !has(el, "aria-labelledby") && (!isLabelable(el) || labelsOf(el).length === 0)) {
    const style = getComputedStyle(el);
    const text = squeeze(generated(el, "::before") + (style.visibility === "visible" ? dataOf(only) : "") + generated(el, "::after"));
    return text !== "" ? text : squeeze(attr(el, "title") ?? "");
  }
  return squeeze(nameFrom(el, role, { seen: new Set(), referenced: false, inside: false }));
}

const isLabelable = (el) => {
  const tag = tagOf(el);
  return tag === "input" || tag === "select" || tag === "textarea" || tag === "button" || tag === "meter" || tag === "output" ||
    tag === "progress" || (tag.includes("-") && el.constructor?.formAssociated === true);
};

// nameFrom computes the name or, inside another name, the text that the element contributes.
function nameFrom(el, role, how) {
  if (how.seen.has(el)) return "";
  how.seen.add(el);
  if (!how.referenced && how.inside && hiddenFromNames(el)) return "";
  if (!how.inLabelledby) {
    const ids = attr(el, "aria-labelledby");
    if (ids !== null) {
      const text = referencedText(el, ids);
      if (text !== "") return text;
    }
  }
  if (how.inside && valueInLabel.has(role)) return embeddedValue(el, role);
  const label = attr(el, "aria-label");
  if (label !== null && label.trim() !== "") return label;
  const own = nativeName(el, role, how);
  if (own !== "") return own;
  if (contentNamed.has(role) || how.inside) {
    const text = contentText(el, how);
    if (text.trim() !== "") return text;
  }
  const title = attr(el, "title");
  if (title !== null && title.trim() !== "") return title;
  return attr(el, "placeholder") || attr(el, "aria-placeholder") || "";
}

// referencedText joins the texts of the elements that aria-labelledby names. A hidden one counts when it is named.
function referencedText(el, ids) {
  const root = rootOf(el);
  const texts = [];
  for (const id of ids.trim().split(/\s+/)) {
    const other = id === "" ? null : (root.getElementById?.(id) ?? null);
    if (other === null) continue;
    texts.push(nameFrom(other, roleOf(other), { seen: new Set(), referenced: true, inside: true, inLabelledby: true, hidden: hiddenFromNames(other) }));
  }
  return squeeze(texts.join(" "));
}

const hiddenFromNames = (el) => {
  if (attr(el, "aria-hidden") === "true") return true;
  const style = getComputedStyle(el);
  return style.display === "none" || style.display === "" || (style.visibility !== "visible" && style.display !== "contents");
};

function nativeName(el, role, how) {
  const tag = tagOf(el);
  switch (tag) {
    case "input": {
      const type = el.type;
      if (type === "button" || type === "submit" || type === "reset") {
        const text = labelText(el, how);
        if (text !== "") return text;
        if (has(el, "value") && el.value !== "") return el.value;
        return type === "submit" ? "Submit" : type === "reset" ? "Reset" : "";
      }
      if (type === "image") return labelText(el, how) || attr(el, "alt") || attr(el, "value") || attr(el, "title") || "Submit";
      return labelText(el, how);
    }
    case "select": case "textarea": case "meter": case "output": case "progress": case "button":
      return labelText(el, how);
    case "img": case "area":
      return attr(el, "alt") ?? "";
    case "fieldset": return firstChildText(el, "legend", how);
    case "table": return firstChildText(el, "caption", how);
    case "svg": return firstChildText(el, "title", how);
    case "optgroup": return attr(el, "label") ?? "";
    case "option": return attr(el, "label") ?? "";
    case "iframe": return attr(el, "title") ?? "";
    default: return isLabelable(el) ? labelText(el, how) : "";
  }
}

// labelText joins the labels of a control; a label's own text leaves out the control inside it.
function labelText(el, how) {
  if (how.inside && !how.referenced) return "";
  const texts = [];
  for (const label of labelsOf(el)) {
    texts.push(nameFrom(label, "", { seen: new Set([el]), referenced: true, inside: true, inLabelledby: true }));
  }
  return squeeze(texts.join(" "));
}

function firstChildText(el, tag, how) {
  for (let child = firstElement(el); child !== null; child = nextElement(child)) {
    if (tagOf(child) === tag) return tag === "title" ? (child.textContent ?? "") : contentText(child, { ...how, inside: true });
  }
  return "";
}

// contentText is the text of everything painted inside the element, blocks apart by spaces.
function contentText(el, how) {
  let text = how.hidden ? "" : generated(el, "::before");
  for (const node of composedNodes(el)) {
    const kind = kindOf(node);
    if (kind === 3) {
      text += dataOf(node);
    } else if (kind === 1) {
      const tag = tagOf(node);
      if (tag === "script" || tag === "style" || tag === "template" || tag === "noscript") continue;
      if (tag === "br") {
        text += " ";
        continue;
      }
      // A referenced label that is itself hidden is read whole; otherwise its hidden parts stay out.
      const inner = nameFrom(node, roleOf(node), { seen: how.seen, referenced: how.hidden === true, hidden: how.hidden, inside: true, inLabelledby: how.inLabelledby });
      if (inner === "") continue;
      const display = getComputedStyle(node).display;
      text += display.startsWith("inline") && display === "inline" || display === "contents" ? inner : " " + inner + " ";
    }
  }
  return how.hidden ? text : text + generated(el, "::after");
}

// generated is the text that a style sheet puts before or after the element; a stated alternative goes first.
function generated(el, pseudo) {
  const content = getComputedStyle(el, pseudo).content;
  if (content === "none" || content === "normal" || content === "") return "";
  const [shown, alternative] = splitAlternative(content);
  let text = "";
  for (const match of (alternative ?? shown).matchAll(/"((?:[^"\\]|\\.)*)"/g)) text += match[1].replace(/\\(.)/g, "$1");
  return alternative === undefined ? text : " " + text + " ";
}

function splitAlternative(content) {
  let quoted = false;
  for (let i = 0; i < content.length; i++) {
    if (content[i] === "\\") i++;
    else if (content[i] === '"') quoted = !quoted;
    else if (content[i] === "/" && !quoted) return [content.slice(0, i), content.slice(i + 1)];
  }
  return [content, undefined];
}

// embeddedValue is what a control inside a label reads as.
function embeddedValue(el, role) {
  if (isSecretField(el)) return "";
  switch (role) {
    case "slider": case "spinbutton":
      return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow") ?? el.value ?? "";
    case "combobox": case "listbox":
      if (el instanceof HTMLSelectElement) return chosenText(el);
      return el.value ?? el.textContent ?? "";
    default:
      return el.value ?? el.textContent ?? "";
  }
}
