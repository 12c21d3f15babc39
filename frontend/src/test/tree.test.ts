import { expect, it } from 'vitest';
import { icons } from '../lib/shared/icons';

// The rules of this folder, checked over its files.

const sources: Record<string, string> = import.meta.glob('../**/*.{ts,svelte}', { query: '?raw', import: 'default', eager: true });
const styles: Record<string, string> = import.meta.glob('../styles/*.css', { query: '?raw', import: 'default', eager: true });
const shipped = Object.entries(sources).filter(([path]) => path.startsWith('../') && !/\.test\.ts$|\/fake\.ts$/.test(path));

/** Each tier, and what its files may import of the others. */
const tiers: Record<string, readonly string[]> = {
  backend: [],
  shared: ['backend'],
  domain: ['backend', 'shared'],
  views: ['backend', 'shared', 'domain'],
};

it.each(Object.entries(tiers))('%s imports from lower tiers only', (tier, allowed) => {
  for (const [path, text] of shipped.filter(([p]) => p.includes(`/lib/${tier}/`))) {
    for (const [, other] of text.matchAll(/from '\.\.\/([a-z]+)\//g)) {
      expect(allowed, `${path} imports from ${other}`).toContain(other);
    }
  }
});

it('knows the desktop shell in one file', () => {
  const knowing = shipped.filter(([, text]) => /\bwindow\.(go|runtime)\b|wailsjs|EventsOn/.test(text)).map(([path]) => path);
  expect(knowing).toEqual(['../lib/backend/wails.ts']);
});

it('ships no invented backend', () => {
  for (const [path, text] of shipped) expect(text, path).not.toMatch(/from '.*\/fake'/);
});

it('sets no markup from text', () => {
  for (const [path, text] of shipped) expect(text, path).not.toMatch(/\{@html|innerHTML|insertAdjacentHTML/);
});

it('draws every icon that it names, and names every icon that it draws', () => {
  const sprite = sources['../lib/shared/Sprite.svelte'] ?? '';
  const drawn = [...sprite.matchAll(/symbol id="i-([a-z]+)"/g)].map(([, name]) => name);
  expect(drawn.sort()).toEqual([...icons].sort());
  const code = shipped.filter(([path]) => !/icons\.ts$|Sprite\.svelte$/.test(path)).map(([, text]) => text).join('\n');
  const unused = icons.filter((name) => !new RegExp(`['"]${name}['"]`).test(code));
  expect(unused).toEqual([]);
});

it('styles nothing that no component has', () => {
  const code = shipped.map(([, text]) => text).join('\n');
  const classes = new Set<string>();
  for (const css of Object.values(styles)) {
    for (const [, name] of css.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/\.([a-z][a-z0-9-]*)/g)) classes.add(name ?? '');
  }
  // Built from a part: chip-bad, note-stale.
  const composed = /^(chip|note)-/;
  const unused = [...classes].filter((c) => !composed.test(c) && !new RegExp(`(?<![\\w-])${c}(?![\\w-])`).test(code));
  expect(unused).toEqual([]);
});

it('keeps files short enough to read at a sitting', () => {
  const long = shipped.filter(([path, text]) => text.split('\n').length > 350 && !path.endsWith('/contract.ts'));
  expect(long.map(([path]) => path)).toEqual([]);
});
