import { expect, it } from 'vitest';
import { stretches } from './sentence';

it('tells page text from its own words', () => {
  expect(stretches('Clicked “Confirm order” on shop.example')).toEqual([
    { kind: 'own', text: 'Clicked ' },
    { kind: 'page', parts: [{ code: false, text: 'Confirm order' }] },
    { kind: 'own', text: ' on shop.example' },
  ]);
});

it('marks the characters that the ledger shows as code points', () => {
  expect(stretches('Clicked “gift⟨U+202E⟩exe.U+202E⟨0x9F⟩”')).toEqual([
    { kind: 'own', text: 'Clicked ' },
    {
      kind: 'page',
      parts: [
        { code: false, text: 'gift' }, { code: true, text: 'U+202E' }, { code: false, text: 'exe.U+202E' }, { code: true, text: '0x9F' },
      ],
    },
  ]);
});

it.each(['', 'Reloaded the page', 'An “open quote', '””“', '“a” and “b”'])('loses nothing of %j', (text) => {
  const back = stretches(text).map((s) => (s.kind === 'own' ? s.text : `“${s.parts.map((p) => p.text).join('')}”`)).join('');
  expect(back).toBe(text);
});
