/** A stretch of a ledger sentence: Kuang's own words, or text of a page. */
export type Stretch = { kind: 'own'; text: string } | { kind: 'page'; parts: Part[] };

/** A piece of page text, or a character of it that could mislead, as its code point. */
export interface Part {
  code: boolean;
  text: string;
}

/**
 * Splits a sentence where page text begins and ends. The ledger sets page text in “ and ” and writes what could
 * mislead as ⟨U+202E⟩; none of these four characters comes from a page.
 */
export function stretches(sentence: string): Stretch[] {
  return sentence
    .split(/(“[^”]*”)/)
    .filter((s) => s !== '')
    .map((s) => (s.startsWith('“') && s.endsWith('”') ? { kind: 'page', parts: parts(s.slice(1, -1)) } : { kind: 'own', text: s }));
}

/** Splitting by a group leaves the code points at the odd places. */
function parts(text: string): Part[] {
  return text
    .split(/⟨([^⟨⟩]*)⟩/)
    .map((p, i) => ({ code: i % 2 === 1, text: p }))
    .filter((p) => p.text !== '');
}
