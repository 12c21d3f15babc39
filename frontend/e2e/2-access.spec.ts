import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';
import { expect, open, test, views } from './kuang';

// Every view in every theme at every width: no violation that axe knows of, and nothing that is cut off.

const widths = [1280, 680, 360];
const themes = ['Sunlit', 'Midnight', 'Neon', 'Terminal'];
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe: runner } = window as unknown as { axe: typeof axe };
    const found = await runner.run(document, { resultTypes: ['violations'] });
    return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.failureSummary ?? ''}`).join(' | ')}`);
  });
}

/** How far the page is wider than its window, and the first element that sticks out. */
const overflow = (page: Page) =>
  page.evaluate(() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    return over > 0 ? [...document.querySelectorAll('main *')].find((e) => e.getBoundingClientRect().right > innerWidth + 1)?.outerHTML.slice(0, 200) ?? String(over) : '';
  });

async function everyView(page: Page): Promise<{ hash: string; title: string }[]> {
  await open(page, 'runs', 'Runs');
  const log = page.getByRole('link', { name: /^View log/ }).first();
  if ((await log.count()) === 0) return [...views];
  const hash = ((await log.getAttribute('href')) ?? '').slice(1);
  const client = await page.locator('tbody th').first().innerText();
  return [...views, { hash, title: client }];
}

for (const theme of themes) {
  test(`no view has a violation or is cut off in ${theme}`, async ({ page }) => {
    test.setTimeout(600_000);
    const all = await everyView(page);
    await open(page, 'settings/appearance', 'Appearance');
    await page.getByLabel(theme).check();
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme.toLowerCase());
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const { hash, title } of all) {
        await open(page, hash, title);
        expect(await overflow(page), `${hash} at ${width}`).toBe('');
        expect(await violations(page), `${hash} at ${width}`).toEqual([]);
      }
    }
    await open(page, 'settings/appearance', 'Appearance');
    await page.getByLabel('Sunlit').check();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'sunlit');
  });
}

test('the dialogs have no violation either', async ({ page }) => {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await open(page, 'settings/shadow-walk/shadow-dom', 'Shadow Walk');
    for (const opener of ['Arm…', 'Reset defaults']) {
      await page.getByRole('button', { name: opener }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      expect(await violations(page), `${opener} at ${width}`).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
  }
});

test('the keyboard alone reaches everything, and focus is seen', async ({ page }) => {
  test.setTimeout(300_000);
  for (const { hash, title } of await everyView(page)) {
    await open(page, hash, title);
    await page.evaluate(() => {
      document.querySelectorAll('details').forEach((d) => (d.open = false));
      (document.activeElement as HTMLElement | null)?.blur();
      scrollTo(0, 0);
    });
    const want = await page.evaluate(() => {
      const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, summary, [tabindex="0"]')];
      const reach = all.filter((e) => {
        if (e.matches(':disabled') || !e.checkVisibility()) return false;
        return !(e instanceof HTMLInputElement && e.type === 'radio' && !e.checked); // A group is one stop.
      });
      reach.forEach((e, i) => (e.dataset['stop'] = String(i)));
      return reach.length;
    });
    const seen = new Set<string>();
    for (let i = 0; i < want + 5; i++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const e = document.activeElement as HTMLElement | null;
        const ring = e?.matches('input[type=radio]') ? e.closest('label') : e; // A theme's ring is around its card.
        const style = ring && getComputedStyle(ring);
        return e?.dataset['stop'] === undefined ? undefined : { stop: e.dataset['stop'], ring: style?.outlineStyle !== 'none' && style?.outlineWidth !== '0px', at: e.outerHTML.slice(0, 120) };
      });
      if (!stop) continue;
      expect(stop.ring, `focus is not seen on ${stop.at} in ${hash}`).toBe(true);
      seen.add(stop.stop);
    }
    const missed = await page.evaluate((s) => [...document.querySelectorAll<HTMLElement>('[data-stop]')].filter((e) => !s.includes(e.dataset['stop'] ?? '')).map((e) => e.outerHTML.slice(0, 120)), [...seen]);
    expect(missed, hash).toEqual([]);
    await page.evaluate(() => document.querySelectorAll<HTMLElement>('[data-stop]').forEach((e) => delete e.dataset['stop']));
  }
});

test('a dialog keeps focus inside and gives it back', async ({ page }) => {
  await open(page, 'settings/shadow-walk/shadow-dom', 'Shadow Walk');
  const arm = page.getByRole('button', { name: 'Arm…' });
  await arm.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox')).toBeFocused();
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement === document.body || document.querySelector('dialog[open]')?.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(arm).toBeFocused();
});

test('the skip link leads past the navigation and leaves the view alone', async ({ page }) => {
  await open(page, 'runs', 'Runs');
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
});

test('a desktop that asks for calm or contrast gets it', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce', contrast: 'more', colorScheme: 'dark' });
  await open(page, 'settings/appearance', 'Appearance');
  await page.getByLabel('System').check();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'midnight');
  const style = (name: string) => page.evaluate((n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim(), name);
  expect(await style('--base')).toMatch(/^0m?s$/);
  expect(await style('--muted')).toBe(await style('--text'));
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'sunlit');
  await page.getByLabel('Sunlit').check();
});
