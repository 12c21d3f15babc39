// The state of the page in a few cheap numbers, so that a change shows without reading the page again.

// hashOf is a 32-bit FNV-1a over the text, in hex.
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

// state is what page_state says of this frame.
function state() {
  const words = visibleText(top());
  const focus = activeElement();
  let nodes = 0;
  let open = 0;
  walk(top(), true, (el) => {
    nodes++;
    if (openRootOf(el) !== null) open++;
    return true;
  });
  const box = document.scrollingElement ?? top();
  return {
    url: location.href, title: inDocument.title(document), ready_state: inDocument.state(document), node_count: nodes,
    shadow_roots: open, width: box.scrollWidth, height: box.scrollHeight, scroll_x: pixel(scrollX), scroll_y: pixel(scrollY),
    text_chars: [...words].length, text_hash: hashOf(words), marks: liveMarks(),
    focus: focus === null || focus === top() || tagOf(focus) === "body" ? "" : called(focus),
    dialogs: [...inDocument.query(document, "dialog[open],[role=dialog],[role=alertdialog]")].filter(shown).map(called),
  };
}
