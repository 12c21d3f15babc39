// Facts about one element: is it shown, what state is it in, what does it hold, what does it accept.

// shown tells whether the element is painted at all, wherever it is.
const painted = { visibilityProperty: true, contentVisibilityAuto: false };
const shown = (el) => paints(el, painted);

// boxed is the element's box, or that of its painted content when its own has no area (an inline link around a
// floated picture), or null.
function boxed(el, depth = 3) {
  const box = boxOf(el);
  if (box.width > 0 && box.height > 0) return box;
  if (depth > 0) {
    for (let child = firstElement(el); child !== null; child = nextElement(child)) {
      const inner = boxed(child, depth - 1);
      if (inner !== null) return inner;
    }
  }
  return null;
}

// secretTyped remembers the fields that got a secret; what they hold is never read out again.
const secretTyped = new WeakSet();

const secretHints = /(^|\s)(current-password|new-password|cc-csc|one-time-code)(\s|$)/i;

// isSecretField tells a field whose value stays in it.
const isSecretField = (el) =>
  secretTyped.has(el) || (tagOf(el) === "input" && (el.type === "password" || secretHints.test(attr(el, "autocomplete") ?? "")));

const textInputs = new Set("text search url tel email password number date month week time datetime-local".split(" "));

// isEditable tells whether trusted keys can change the element's text or value, leaving aside read-only and disabled.
function isEditable(el) {
  switch (tagOf(el)) {
    case "input": return textInputs.has(el.type);
    case "textarea": return true;
    default: return el.isContentEditable === true;
  }
}

const isReadOnly = (el) => {
  const tag = tagOf(el);
  if ((tag === "input" || tag === "textarea") && el.readOnly) return true;
  return attr(el, "aria-readonly") === "true";
};

// isDisabled follows HTML's own rule and aria-disabled, which also holds for what is inside.
function isDisabled(el) {
  if (matches(el, ":disabled")) return true;
  for (let at = el; at !== null; at = composedParent(at)) {
    const said = attr(at, "aria-disabled");
    if (said === "true") return true;
    if (said === "false") return false;
  }
  return false;
}

const clickRoles = new Set((
  "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem slider scrollbar color " +
  "clickable combobox gridcell").split(" "));

// actionsOf lists what the element accepts; empty when it is disabled.
function actionsOf(el, role, disabled = isDisabled(el)) {
  if (disabled) return [];
  if (el instanceof HTMLSelectElement) return ["select"];
  if (isEditable(el) && (tagOf(el) === "input" || tagOf(el) === "textarea" || editingHost(el))) return isReadOnly(el) ? [] : ["type"];
  if ((role === "textbox" || role === "searchbox" || role === "spinbutton") && focusable(el)) return isReadOnly(el) ? [] : ["type"];
  if (role === "gridcell" || role === "listbox") return focusable(el) ? ["click"] : [];
  return clickRoles.has(role) ? ["click"] : [];
}

const tristate = (word, on, off) => (word === "true" ? on : word === "mixed" ? "mixed" : word === "false" ? off : "");

// statesOf lists the states that hold, in a fixed order.
function statesOf(el, role, disabled = isDisabled(el)) {
  const states = [];
  const add = (state) => state !== "" && states.push(state);
  const tag = tagOf(el);
  if (tag === "input" && (el.type === "checkbox" || el.type === "radio")) {
    add(el.indeterminate ? "mixed" : el.checked ? "checked" : "unchecked");
  } else {
    add(tristate(attr(el, "aria-checked"), "checked", "unchecked"));
  }
  add(tristate(attr(el, "aria-pressed"), "pressed", "unpressed"));
  if (tag === "option" ? el.selected : attr(el, "aria-selected") === "true") add("selected");
  if (tag === "summary") add(parentOf(el)?.open ? "expanded" : "collapsed");
  else add(tristate(attr(el, "aria-expanded"), "expanded", "collapsed"));
  const current = attr(el, "aria-current");
  if (current !== null && current !== "" && current !== "false") add(current === "true" ? "current" : "current " + current);
  if (disabled) add("disabled");
  if (el.required === true || attr(el, "aria-required") === "true") add("required");
  if (isReadOnly(el)) add("readonly");
  const invalid = attr(el, "aria-invalid");
  if (invalid !== null && invalid !== "" && invalid !== "false") add("invalid");
  if (attr(el, "aria-busy") === "true") add("busy");
  if (el === activeElement()) add("focused");
  return states;
}

const chosenText = (select) => squeeze([...select.selectedOptions].map((option) => option.label).join(", "));

// holdsValue tells whether the element has a value to speak of.
const holdsValue = (el, role) => {
  const tag = tagOf(el);
  if (tag === "textarea" || tag === "select" || tag === "meter" || tag === "progress") return true;
  if (tag === "input") return !["button", "submit", "reset", "image", "checkbox", "radio", "hidden"].includes(el.type);
  return role !== "clickable" && (editingHost(el) || has(el, "aria-valuenow") || has(el, "aria-valuetext"));
};

// rawValue is what the field holds, as text. It is for comparing and measuring inside this world.
function rawValue(el) {
  const tag = tagOf(el);
  if (tag === "select") return chosenText(el);
  if (tag === "input" && el.type === "file") return [...el.files].map((file) => file.name).join(", ");
  if (tag === "input" || tag === "textarea" || tag === "meter") return String(el.value);
  if (tag === "progress") return el.position < 0 ? "" : String(el.value);
  if (el.isContentEditable) return el.innerText.replace(/\n$/, "");
  return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow") ?? el.textContent ?? "";
}

// valueOf is the value as it may be told: {value}, cut at most characters, or only {chars} of a secret field.
function valueOf(el, role, most = 200) {
  if (!holdsValue(el, role)) return {};
  const value = rawValue(el);
  if (isSecretField(el)) return { chars: [...value].length };
  if (value.length > most) return { value: cut(value, most), chars: [...value].length };
  return { value };
}

// headingLevel is 1 to 6 for a heading, else undefined.
const headingLevel = (el, role) => {
  if (role !== "heading") return undefined;
  return Number(attr(el, "aria-level")) || Number(/^h([1-6])$/.exec(tagOf(el))?.[1]) || undefined;
};

// factsOf describes one element for a row.
function factsOf(el, role = roleOf(el)) {
  const disabled = isDisabled(el);
  return {
    role,
    name: cut(nameOf(el, role), 300),
    ...valueOf(el, role),
    state: statesOf(el, role, disabled),
    level: headingLevel(el, role),
    actions: actionsOf(el, role, disabled),
  };
}

// called names an element for a person: what it is and what it says.
function called(el) {
  const role = roleOf(el);
  const name = cut(nameOf(el, role) || squeeze(el.textContent ?? ""), 60);
  const what = role !== "" && role !== "clickable" ? role : "<" + tagOf(el) + (attr(el, "id") ? "#" + attr(el, "id") : "") + ">";
  return name === "" ? what : what + " " + JSON.stringify(name);
}
