import { expect, it } from 'vitest';
import { stretches } from './sentence';

it('tells page text from its own words', () => {
  expect(stretches('Clicked “Confirm order” on shop.example')).toEqual([
    { kind: 'own', text: 'Clicked ' },
    { kind: 'page', parts: [{ code: false, text: 'Confirm order' }] },
    { kind: 'own', text: ' on shop.example' },
  ]);
});

it('marks code points inside page text only', () => {
  expect(stretches('Typed U+202E into “giftU+202Eexe”')).toEqual([
    { kind: 'own', text: 'Typed U+202E into ' },
    { kind: 'page', parts: [{ code: false, text: 'gift' }, { code: true, text: 'U+202E' }, { code: false, text: 'exe' }] },
  ]);
});

it.each(['', 'Reloaded the page', 'An “open quote', '””“'])('loses nothing of %j', (text) => {
  const back = stretches(text).map((s) => (s.kind === 'own' ? s.text : `“${s.parts.map((p) => p.text).join('')}”`)).join('');
  expect(back).toBe(text);
});
