// Force-open: from here on, a shadow root that the page asks to be closed is made open. It hides nothing: the page can
// read this source through attachShadow.toString(), and sees host.shadowRoot where it expects null. Roots that are
// declared in HTML (shadowrootmode="closed") are made by the parser and stay closed.
{
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const closed = init?.mode === "closed";
    return attachShadow.call(this, closed ? Object.create(init, { mode: { value: "open" } }) : init);
  };
}
