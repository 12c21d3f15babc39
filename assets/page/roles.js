// Roles: what an element is to assistive technology, by its role attribute or by HTML's own mapping.

const knownRoles = new Set((
  "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
  "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid " +
  "gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar " +
  "menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
  "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong " +
  "subscript superscript suggestion switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree " +
  "treegrid treeitem").split(" "));

// controls are the roles that a person operates.
const controls = new Set((
  "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar " +
  "searchbox slider spinbutton switch tab textbox treeitem clickable date datetime time color").split(" "));

// landmarks are the roles that components are grouped by.
const landmarks = new Set("banner complementary contentinfo form main navigation region search dialog alertdialog".split(" "));

// contentNamed are the roles whose name may come from what is inside them.
const contentNamed = new Set((
  "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row " +
  "rowheader switch tab tooltip treeitem clickable").split(" "));

const inputRoles = {
  button: "button", submit: "button", reset: "button", image: "button", file: "button", checkbox: "checkbox",
  radio: "radio", range: "slider", number: "spinbutton", color: "color", date: "date", month: "date", week: "date",
  "datetime-local": "datetime", time: "time", hidden: "",
};

const named = (el) =>
  (attr(el, "aria-label") ?? "").trim() !== "" || (attr(el, "aria-labelledby") ?? "").trim() !== "" || (attr(el, "title") ?? "").trim() !== "";

// sectioned tells whether a header or footer belongs to a part of the page and is no landmark of the page.
const sectioned = (el) => closest(el, "article,aside,main,nav,section") !== null;

const nativeRoles = new Map(Object.entries({
  a: (el) => (has(el, "href") ? "link" : ""),
  area: (el) => (has(el, "href") ? "link" : ""),
  article: "article",
  aside: "complementary",
  blockquote: "blockquote",
  button: "button",
  caption: "caption",
  datalist: "listbox",
  details: "group",
  dialog: "dialog",
  fieldset: "group",
  figure: "figure",
  footer: (el) => (sectioned(el) ? "" : "contentinfo"),
  form: (el) => (named(el) ? "form" : ""),
  h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading",
  header: (el) => (sectioned(el) ? "" : "banner"),
  hr: "separator",
  iframe: "iframe",
  img: (el) => (attr(el, "alt") === "" && !named(el) ? "presentation" : "img"),
  input: (el) => {
    const type = el.type;
    if (type in inputRoles) return inputRoles[type];
    if (el.list instanceof HTMLDataListElement) return "combobox";
    return type === "search" ? "searchbox" : "textbox";
  },
  li: "listitem",
  main: "main",
  math: "math",
  menu: "list",
  meter: "meter",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  p: "paragraph",
  progress: "progressbar",
  search: "search",
  section: (el) => (named(el) ? "region" : ""),
  select: (el) => (el.multiple || el.size > 1 ? "listbox" : "combobox"),
  summary: (el) => (tagOf(parentOf(el) ?? el) === "details" ? "button" : ""),
  svg: (el) => (named(el) || tagOf(firstElement(el) ?? el) === "title" ? "img" : ""),
  table: "table",
  tbody: "rowgroup", tfoot: "rowgroup", thead: "rowgroup",
  td: (el) => (gridded(el) ? "gridcell" : "cell"),
  textarea: "textbox",
  th: (el) => (attr(el, "scope") === "row" || attr(el, "scope") === "rowgroup" ? "rowheader" : "columnheader"),
  tr: "row",
  ul: "list",
}));

const gridded = (el) => closest(el, "table[role=grid],table[role=treegrid]") !== null;

function nativeRole(el) {
  const role = nativeRoles.get(tagOf(el));
  if (role === undefined) return "";
  return typeof role === "string" ? role : role(el);
}

// roleOf is the element's role, or "" for one that has none. A presentational role is ignored on an element that the
// keyboard reaches, as the standard asks: it is still operated.
function roleOf(el) {
  if (hasAny(el)) {
    const asked = attr(el, "role");
    if (asked !== null) {
      for (const word of asked.toLowerCase().split(/\s+/)) {
        if (!knownRoles.has(word)) continue;
        if (word !== "none" && word !== "presentation") return word === "image" ? "img" : word;
        if (!focusable(el)) return "";
        break;
      }
    }
  }
  const role = nativeRole(el);
  return role === "presentation" ? "" : role;
}

// focusable tells whether the element can hold the focus as it stands.
function focusable(el) {
  const asked = attr(el, "tabindex");
  if (asked !== null && /^\s*-?\d+/.test(asked)) return true;
  switch (tagOf(el)) {
    case "a": case "area": return has(el, "href");
    case "button": case "select": case "textarea": return !matches(el, ":disabled");
    case "input": return el.type !== "hidden" && !matches(el, ":disabled");
    case "summary": return tagOf(parentOf(el) ?? el) === "details";
    default: return editingHost(el);
  }
}

const editingHost = (el) => {
  const asked = attr(el, "contenteditable");
  return asked !== null && asked.toLowerCase() !== "false" && asked.toLowerCase() !== "inherit";
};
