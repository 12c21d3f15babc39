// Marks: small numbers for elements, kept here and nowhere in the page. An element keeps its number while it lives in
// the document; a number is never given to a second element.

const markedElements = new Map();
const markOf = new WeakMap();

// The numbers that this document may still give out: those left of its last block, then everything from the offer up.
const numbers = { next: 0, end: 0, offered: 0, top: 0 };

// offer takes the first number above all that the tab has given out. Nobody else gets an offer before used answers.
function offer(from) {
  numbers.offered = from;
  numbers.top = from;
}

// used says up to where the offer was taken, exclusive; the rest of that hundred stays with this document.
function used() {
  if (numbers.top === numbers.offered) return numbers.offered;
  const end = Math.ceil(numbers.top / 100) * 100;
  numbers.next = numbers.top;
  numbers.end = end;
  numbers.offered = end;
  numbers.top = end;
  return end;
}

// mark is the element's number, given now if it has none.
function mark(el) {
  const known = markOf.get(el);
  if (known !== undefined) return known;
  const number = numbers.next < numbers.end ? numbers.next++ : numbers.top++;
  markOf.set(el, number);
  markedElements.set(number, new WeakRef(el));
  return number;
}

// marked is the element with this number, or null once it left the document.
function marked(number) {
  const el = markedElements.get(number)?.deref();
  return el !== undefined && connected(el) ? el : null;
}

// sweep forgets the numbers of elements that no longer exist at all.
function sweep() {
  for (const [number, ref] of markedElements) if (ref.deref() === undefined) markedElements.delete(number);
}

// liveMarks counts the marked elements in the document.
function liveMarks() {
  let live = 0;
  for (const ref of markedElements.values()) {
    const el = ref.deref();
    if (el !== undefined && connected(el)) live++;
  }
  return live;
}
