import { readFileSync } from 'node:fs';
import { expect, test as base, type Page } from '@playwright/test';

/** The real Kuang behind the panel. Without it the tests that need one are skipped, except where the run is the proof. */
const apiURL = process.env['KUANG_API_URL'];
export const real = apiURL !== undefined;
if (!real && process.env['KUANG_REQUIRE_BROWSER']) throw new Error('this run needs a real Kuang: KUANG_API_URL is not set');

const token = (): string => process.env['KUANG_TOKEN'] ?? readFileSync(process.env['KUANG_TOKEN_FILE'] ?? '', 'utf8').trim();

export interface Reply {
  status: number;
  body: { ok?: boolean; error?: { code: string }; [field: string]: unknown };
}

/** Calls a verb the way an agent does. */
export async function call(client: string, verb: string, input: object, bearer = token()): Promise<Reply> {
  const response = await fetch(`${apiURL}/v1/${verb}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}`, 'Kuang-Client': client, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** What a page may say without being wrong: the shell's development overlay styles itself, which the panel's policy forbids. */
const overlay = /Applying inline style violates.*style-src 'self'/s;

/** A test whose page must stay free of errors and must ask for nothing that is not the panel's own. */
export const test = base.extend<{ page: Page }>({
  page: async ({ page, baseURL }, use) => {
    const wrong: string[] = [];
    page.on('pageerror', (e) => wrong.push(`error: ${e.message}`));
    page.on('console', (m) => {
      if (['error', 'warning'].includes(m.type()) && !overlay.test(m.text())) wrong.push(`${m.type()}: ${m.text()}`);
    });
    page.on('request', (r) => {
      if (!r.url().startsWith(new URL(baseURL ?? '').origin) && !r.url().startsWith('data:')) wrong.push(`remote: ${r.url()}`);
    });
    await use(page);
    expect(wrong).toEqual([]);
  },
});

export { expect };

/** Opens a view and waits until it shows what it is. */
export async function open(page: Page, hash: string, title: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(`${process.env['KUANG_PANEL_QUERY'] ?? ''}#${hash}`);
  else await page.evaluate((h) => (location.hash = h), hash);
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  await expect(page.locator('.ghost-row')).toHaveCount(0);
}

/** Every view with its title. A run's log is added where there is a run. */
export const views: readonly { hash: string; title: string }[] = [
  { hash: 'deck', title: 'Deck' },
  { hash: 'runs', title: 'Runs' },
  { hash: 'ledger', title: 'Ledger' },
  { hash: 'settings/shadow-walk/overview', title: 'Shadow Walk' },
  { hash: 'settings/shadow-walk/shadow-dom', title: 'Shadow Walk' },
  { hash: 'settings/shadow-walk/iframes', title: 'Shadow Walk' },
  { hash: 'settings/shadow-walk/clone-lab', title: 'Shadow Walk' },
  { hash: 'settings/browser', title: 'Browser' },
  { hash: 'settings/api', title: 'API' },
  { hash: 'settings/appearance', title: 'Appearance' },
];
