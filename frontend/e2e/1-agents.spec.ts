import { call, expect, open, real, test } from './kuang';
import { shop } from './site';

test.skip(!real, 'needs a real Kuang');
test.describe.configure({ mode: 'serial' });

let site: Awaited<ReturnType<typeof shop>>;
test.beforeAll(async () => {
  site = await shop();
});
test.afterAll(() => site.close());

test('a fresh start says how to connect an agent, and the command works', async ({ page }) => {
  await open(page, 'deck', 'Deck');
  await expect(page.getByText(/No agent has called yet/)).toBeVisible();
  await expect(page.getByRole('link', { name: /^\S+.* \d+ · (pipe|port|attach)$/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /no client/ })).toBeVisible();
  for (const door of ['HTTP', 'MCP', 'CLI']) await expect(page.getByRole('button', { name: `Copy the ${door} command` })).toBeVisible();
});

test('what agents do shows up by itself', async ({ page }) => {
  await open(page, 'deck', 'Deck');
  expect((await call('shopper', 'navigate', { url: site.url })).status).toBe(200);
  await expect(page.getByRole('heading', { level: 2, name: 'Live sessions' })).toBeVisible();
  await expect(page.getByText('shopper').first()).toBeVisible();
  await expect(page.getByRole('link', { name: /1 client/ })).toBeVisible();

  const pressed = await call('shopper', 'act', { selector: '#plain', action: 'click' });
  expect(pressed.body.ok, JSON.stringify(pressed.body)).toBe(true);
  await expect(page.locator('.led').first()).toContainText('Add a note');
  await expect(page.getByText('Can’t be undone').first()).toBeVisible();

  const sealed = await call('shopper', 'find', { role: 'button', name: 'Confirm order', sealed: true });
  expect(sealed.body.ok, JSON.stringify(sealed.body)).toBe(true);
  await open(page, 'settings/shadow-walk/overview', 'Shadow Walk');
  await expect(page.locator('.readings')).toContainText(/Sealed controls\s*1/);
});

test('the log of a run holds every call, and opens to input and output', async ({ page }) => {
  await open(page, 'runs', 'Runs');
  const row = page.getByRole('row', { name: /shopper/ }).first();
  await expect(row).toContainText('OK');
  await row.getByRole('link', { name: /^View log/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'shopper' })).toBeVisible();
  const calls = page.locator('.log-item');
  await expect(calls).toHaveCount(3);
  await calls.first().locator('summary').click();
  await expect(calls.first().locator('pre').first()).toContainText('"name": "Confirm order"');
  await expect(calls.first().locator('pre').last()).toContainText('"source": "ax"');
  await expect(calls.first()).toContainText('DOM.performSearch');
});

test('runs are filtered by outcome, and the filter is an address', async ({ page }) => {
  expect((await call('clumsy', 'find', { nonsense: true })).status).toBe(400);
  await open(page, 'runs', 'Runs');
  await page.getByLabel('Outcome').selectOption('OK');
  await expect(page).toHaveURL(/outcome=ok/);
  await expect(page.getByRole('row', { name: /clumsy/ })).toHaveCount(0);
  await expect(page.getByRole('row', { name: /shopper/ })).toHaveCount(1);
  await page.goBack();
  await expect(page.getByRole('row', { name: /clumsy/ })).toHaveCount(1);
});

test('a lever that is turned off refuses the agent at once, and the log says so', async ({ page }) => {
  await open(page, 'settings/shadow-walk/shadow-dom', 'Shadow Walk');
  const sealed = page.getByRole('switch', { name: 'Sealed controls' });
  await sealed.uncheck();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  const refused = await call('shopper', 'find', { role: 'button', name: 'Confirm order', sealed: true });
  expect([refused.status, refused.body.error?.code]).toEqual([400, 'SEALED_DISABLED']);
  await sealed.check();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  expect((await call('shopper', 'find', { role: 'button', name: 'Confirm order', sealed: true })).status).toBe(200);

  await open(page, 'runs?outcome=refused', 'Runs');
  await page.getByRole('link', { name: /^View log of shopper/ }).first().click();
  await page.getByRole('button', { name: /^Problems/ }).click();
  await expect(page.locator('.log-item')).toContainText('SEALED_DISABLED');
});

test('the master switch stops everything below it, and has its chip', async ({ page }) => {
  await open(page, 'settings/shadow-walk/overview', 'Shadow Walk');
  await page.getByRole('switch', { name: 'Shadow Walk' }).uncheck();
  await expect(page.getByRole('link', { name: 'Shadow Walk off' })).toBeVisible();
  const refused = await call('shopper', 'find', { role: 'button', sealed: true });
  expect(refused.body.error?.code).toBe('SHADOW_WALK_DISABLED');
  await page.getByRole('switch', { name: 'Shadow Walk' }).check();
  await expect(page.getByRole('link', { name: 'Shadow Walk off' })).toHaveCount(0);
});

test('force-open is armed by the word, shows its chip while a page is patched, and comes off with a reload', async ({ page }) => {
  await open(page, 'settings/shadow-walk/shadow-dom', 'Shadow Walk');
  const chip = page.getByRole('link', { name: /SHADOW PATCH/ });
  await expect(chip).toHaveCount(0);
  await page.getByRole('button', { name: 'Arm…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await expect(dialog.getByRole('button', { name: 'Arm force-open' })).toBeDisabled();
  await page.keyboard.type('ARM');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Disarm' })).toBeFocused();
  await expect(chip).toBeVisible();

  expect((await call('shopper', 'navigate', { url: site.url })).status).toBe(200);
  await expect(chip).toContainText('127.0.0.1');
  await page.getByRole('button', { name: 'Disarm' }).click();
  await expect(page.getByText(/stays patched until it reloads/)).toBeVisible();
  await expect(chip).toBeVisible();
  await page.getByRole('button', { name: /^Reload t/ }).click();
  await expect(chip).toHaveCount(0);
});

test('reset asks first, and puts back what was changed', async ({ page }) => {
  await open(page, 'settings/shadow-walk/shadow-dom', 'Shadow Walk');
  await page.getByRole('switch', { name: 'Open roots' }).uncheck();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await page.getByRole('button', { name: 'Reset defaults' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Open roots');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('switch', { name: 'Open roots' })).not.toBeChecked();
  await page.getByRole('button', { name: 'Reset defaults' }).click();
  await dialog.getByRole('button', { name: 'Reset defaults' }).click();
  await expect(page.getByRole('switch', { name: 'Open roots' })).toBeChecked();
});

test('a new token takes the place of the old one at once', async ({ page }) => {
  await open(page, 'settings/api', 'API');
  await page.getByRole('button', { name: 'Reveal' }).click();
  const old = await page.locator('code.token').innerText();
  expect(old).toMatch(/^[0-9a-f]{64}$/);
  expect((await call('shopper', 'page_state', {}, old)).status).toBe(200);
  await page.getByRole('button', { name: 'Rotate…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate the token' }).click();
  await expect(page.getByText(/The token is new/)).toBeVisible();
  const fresh = await page.locator('code.token').innerText();
  expect(fresh).not.toBe(old);
  expect((await call('shopper', 'page_state', {}, old)).status).toBe(401);
  expect((await call('shopper', 'page_state', {}, fresh)).status).toBe(200);
});

test('the browser starts again on demand, and the chip follows', async ({ page }) => {
  await open(page, 'settings/browser', 'Browser');
  await expect(page.getByText(/running over the pipe|running over a loopback port/)).toBeVisible();
  const since = page.locator('.row-line time').first();
  const before = await since.getAttribute('datetime');
  await page.getByRole('button', { name: 'Restart' }).click();
  await expect(since).not.toHaveAttribute('datetime', before ?? '', { timeout: 60_000 });
  await expect(page.getByRole('link', { name: /^\S+.* \d+ · (pipe|port)$/ })).toBeVisible({ timeout: 60_000 });
  expect((await call('shopper', 'navigate', { url: site.url })).status).toBe(200);
});

test('the theme is kept', async ({ page }) => {
  await open(page, 'settings/appearance', 'Appearance');
  await page.getByLabel('Neon').check();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'neon');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'neon');
  await expect(page.getByLabel('Neon')).toBeChecked();
  await page.getByLabel('Sunlit').check();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'sunlit');
});
