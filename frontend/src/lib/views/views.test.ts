import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { goTo, openPanel } from '../../test/app';
import type { Action, Entry, Run } from '../backend/contract';
import type { FakeBackend } from '../backend/fake';

const run = (i: number, more: Partial<Run> = {}): Run => ({
  id: `R${i}`, session: 'qmrt', client: `client-${i}`, surface: 'http', started_at: '2026-12-01T13:00:00Z', last_at: '2026-12-01T13:00:18Z',
  calls: 1, failures: 0, sites: ['shop.example'], outcome: 'ok', ...more,
});
const entry = (i: number, more: Partial<Entry> = {}): Entry => ({
  id: `E${i}`, run_id: 'R1', at: '2026-12-01T13:00:05Z', verb: 'find', tab: 't1', site: 'shop.example', outcome: 'ok', code: '', duration_ms: 96,
  input: { name: 'Confirm order' }, output: { ok: true }, input_cut: false, input_bytes: 10, output_cut: false, output_bytes: 10, protocol: {}, ...more,
});
const action = (i: number, more: Partial<Action> = {}): Action => ({
  id: `A${i}`, at: '2026-12-01T13:00:00Z', run_id: 'R1', client: 'shopper', surface: 'http', session: 'qmrt', tab: 't1', site: 'shop.example', verb: 'act',
  sentence: `Clicked “Button ${i}” on shop.example`, undo: '', ...more,
});
const title = (name: string) => screen.findByRole('heading', { level: 1, name });

describe('the frame', () => {
  it('marks where it is, and puts the title in focus on the way to another view', async () => {
    openPanel('#deck');
    await title('Deck');
    expect(screen.getByRole('link', { name: 'Deck' }).getAttribute('aria-current')).toBe('page');
    goTo('#settings/browser');
    const h1 = await title('Browser');
    await waitFor(() => expect(document.activeElement).toBe(h1));
    expect(screen.getByRole('link', { name: 'Browser' }).getAttribute('aria-current')).toBe('page');
    expect(document.title).toBe('Browser · Kuang');
  });

  it('shows the chips, and tells politely of what changes', async () => {
    const { backend } = openPanel('#deck');
    expect(await screen.findByRole('link', { name: 'Chromium 156 · pipe' })).toBeTruthy();
    expect(screen.getByRole('link', { name: /:7423 · no client$/ })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Quiet' })).toBeTruthy();
    expect(screen.queryByText(/SHADOW PATCH/)).toBeNull();
    backend.hudState = {
      ...backend.hudState, walk: { on: false, locked: 'KUANG_SHADOW_WALK=off' },
      patch: { armed: false, locked: '', tabs: [{ id: 't6', host: 'lab.example' }] }, browser: { ...backend.hudState.browser, state: 'down' },
    };
    backend.emit('hud');
    expect((await screen.findByRole('link', { name: 'SHADOW PATCH · lab.example' })).getAttribute('href')).toBe('#settings/shadow-walk/shadow-dom');
    expect(screen.getByRole('link', { name: 'Shadow Walk off · KUANG_SHADOW_WALK' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Chromium down' })).toBeTruthy();
    const status = within(screen.getByRole('region', { name: 'Status' })).getByRole('status');
    expect(status.textContent).toBe('Chromium is down. Shadow Walk is off, set by KUANG_SHADOW_WALK=off. Shadow patch: lab.example.');
  });

  it('shows a view at once, with what is known, whatever the backend does', async () => {
    const { backend } = openPanel('#runs', (b) => (b.runList = [run(1)]));
    await screen.findByText('client-1');
    goTo('#deck');
    await title('Deck');
    backend.hold('runs');
    backend.emit('runs');
    goTo('#runs');
    await title('Runs');
    expect(screen.getByText('client-1')).toBeTruthy();
  });

  it('marks what it could not confirm, and asks again on demand', async () => {
    const { backend } = openPanel('#ledger', (b) => (b.actions = [action(1)]));
    await screen.findByText('Button 1');
    backend.failNext('ledger', { code: 'LOG_FAILED', what: 'The log could not be read.' });
    backend.emit('ledger');
    expect(await screen.findByText('The log could not be read.')).toBeTruthy();
    expect(screen.getByText(/has not been confirmed since/)).toBeTruthy();
    expect(screen.getByText('Button 1')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Ask again' }));
    await waitFor(() => expect(screen.queryByText(/has not been confirmed since/)).toBeNull());
  });
});

describe('the Deck', () => {
  it('tells a fresh start how to connect an agent', async () => {
    const { backend } = openPanel('#deck');
    await fireEvent.click(await screen.findByRole('button', { name: 'Copy the HTTP command' }));
    expect(backend.copied[0]).toMatch(/^curl http:\/\/127\.0\.0\.1:7423\/v1\//);
    expect(await screen.findAllByText(/Copied/)).not.toHaveLength(0);
    expect(screen.queryByText('Last in the ledger')).toBeNull();
  });

  it('shows who is at work and what was done last', async () => {
    openPanel('#deck', (b) => {
      b.deckState = {
        ...b.deckState, fresh: false, last: [action(1)],
        sessions: [{ id: 'qmrt', client: 'price-watch', surface: 'http', tab: { id: 't3', host: 'shop.example', title: 'Stoves' }, tabs: 1, calls: 3, first_at: new Date().toISOString(), last_at: new Date().toISOString(), last_verb: 'find', last_site: 'shop.example', last_outcome: 'ok', run_id: 'R1' }],
      };
    });
    const card = (await screen.findByRole('heading', { level: 3, name: 'shop.example' })).closest('li');
    expect(card?.textContent).toContain('At work: find');
    expect(screen.getByRole('link', { name: 'View log of price-watch' }).getAttribute('href')).toBe('#runs/R1');
    expect(screen.getByText('Can’t be undone')).toBeTruthy();
  });

  it('says what is wrong and starts the browser again', async () => {
    const { backend } = openPanel('#deck', (b) => {
      b.hudState.faults = [{ code: 'BROWSER_DOWN', area: 'browser', what: 'Chromium stopped twice.', do: 'Start it again.', route: 'settings/browser', label: 'Browser settings', remedy: 'restart_browser' }];
    });
    expect(await screen.findByText('Chromium stopped twice.')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Browser settings' }).getAttribute('href')).toBe('#settings/browser');
    await fireEvent.click(screen.getByRole('button', { name: 'Start again' }));
    expect(backend.asked.some((a) => a.method === 'restartBrowser')).toBe(true);
  });
});

describe('Runs', () => {
  const many = (b: FakeBackend) => {
    b.runList = Array.from({ length: 23 }, (_, i) => run(i, i % 5 === 0 ? { outcome: 'failed', sites: ['docs.example'] } : {}));
  };

  it('pages by ten', async () => {
    openPanel('#runs', many);
    expect(await screen.findByText('1 to 10 of 23')).toBeTruthy();
    expect(screen.getAllByRole('link', { name: /^View log/ })).toHaveLength(10);
    expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toBe('#runs?page=2');
    goTo('#runs?page=3');
    expect(await screen.findByText('21 to 23 of 23')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Older' })).toBeNull();
  });

  it('filters by outcome and site', async () => {
    const { backend } = openPanel('#runs', many);
    await screen.findByText('1 to 10 of 23');
    await fireEvent.change(screen.getByLabelText('Outcome'), { target: { value: 'failed' } });
    await waitFor(() => expect(location.hash).toBe('#runs?outcome=failed'));
    goTo(location.hash);
    expect(await screen.findByText('1 to 5 of 5')).toBeTruthy();
    expect(backend.asked).toContainEqual({ method: 'runs', args: [1, 'failed', ''] });
    goTo('#runs?outcome=failed&site=shop.example');
    expect(await screen.findByText(/No run fits these filters/)).toBeTruthy();
  });

  it('says in one sentence that there is none', async () => {
    openPanel('#runs');
    expect(await screen.findByText('No agent has called yet. The first call begins a run.')).toBeTruthy();
  });
});

describe('the log of a run', () => {
  const logged = (b: FakeBackend) => {
    b.runList = [run(1, { client: 'price-watch', calls: 312, failures: 1 })];
    b.entries = [entry(2, { verb: 'act', outcome: 'refused', code: 'SEALED_DISABLED' }), entry(1, { input: { text: '[redacted]' } })];
  };

  it('is honest about what it leaves out', async () => {
    openPanel('#runs/R1', logged);
    expect(await screen.findByText(/These are the latest 2 of 312 calls\. The first 310 are in the export only\./)).toBeTruthy();
  });

  it('fetches what went in and came out when a call is opened, secrets blacked out', async () => {
    const { backend, container } = openPanel('#runs/R1', logged);
    await screen.findByText('SEALED_DISABLED');
    expect(backend.asked.some((a) => a.method === 'call')).toBe(false);
    const details = container.querySelectorAll('details')[1];
    if (!details) throw new Error('no call');
    details.open = true;
    await fireEvent(details, new Event('toggle'));
    const input = await screen.findByRole('region', { name: /^Input of find/ });
    expect(input.querySelector('.redacted')?.textContent).toBe('[redacted]');
    expect(screen.getByRole('region', { name: /^Output, as returned of find/ }).textContent).toContain('"ok": true');
    await fireEvent.click(screen.getByRole('button', { name: /^Copy the output of find/ }));
    expect(backend.copied[0]).toContain('"ok": true');
  });

  it('narrows to the problems', async () => {
    const { container } = openPanel('#runs/R1', logged);
    await screen.findByText('SEALED_DISABLED');
    await fireEvent.click(screen.getByRole('button', { name: /^Problems/ }));
    expect(container.querySelectorAll('details')).toHaveLength(1);
  });

  it('exports, and says where to or why not', async () => {
    const { backend } = openPanel('#runs/R1', logged);
    const [button] = await screen.findAllByRole('button', { name: 'Export as JSON lines' });
    if (!button) throw new Error('no button');
    await fireEvent.click(button);
    expect(await screen.findByText('/home/ada/price-watch.jsonl')).toBeTruthy();
    backend.failNext('exportRun', { what: 'The run was not exported: the place cannot be written.' });
    await fireEvent.click(button);
    expect(await screen.findByText('The run was not exported: the place cannot be written.')).toBeTruthy();
  });

  it('says so when the run is gone', async () => {
    openPanel('#runs/R9', logged);
    expect(await screen.findByText('This run is no longer in the log.')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All runs' }).getAttribute('href')).toBe('#runs');
  });
});

describe('the Ledger', () => {
  it('sets page text as text, and says what can’t be undone', async () => {
    const { container } = openPanel('#ledger', (b) => (b.actions = [action(1, { sentence: 'Clicked “<b>Pay⟨U+202E⟩</b>” on shop.example' }), action(2, { undo: 'close_tab' })]));
    await waitFor(() => expect(container.querySelectorAll('.led')).toHaveLength(2));
    expect(container.querySelector('bdi')?.textContent).toBe('<b>PayU+202E</b>');
    expect(container.querySelector('.esc')?.textContent).toBe('U+202E');
    expect(screen.getAllByText('Can’t be undone')).toHaveLength(1);
    expect(screen.queryByRole('button', { name: /Undo/ })).toBeNull();
  });

  it('pages to older actions and back to the newest', async () => {
    openPanel('#ledger', (b) => (b.actions = Array.from({ length: 70 }, (_, i) => action(i))));
    const older = await screen.findByRole('link', { name: 'Older' });
    goTo(older.getAttribute('href') ?? '');
    expect(await screen.findByText('Button 69')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Newest' }).getAttribute('href')).toBe('#ledger');
  });
});

describe('Settings', () => {
  it('tells the browser’s facts, with the price of its transport', async () => {
    openPanel('#settings/browser', (b) => (b.status = { ...b.status, no_sandbox: true }));
    expect(await screen.findByText('Chromium 156.0.8078.114, running over the pipe')).toBeTruthy();
    expect(screen.getByText('/usr/bin/chromium')).toBeTruthy();
    expect(screen.getByText(/Kuang runs as root/)).toBeTruthy();
    expect(screen.getByText('In use').closest('li')?.textContent).toContain('navigator.webdriver');
  });

  it('keeps the token hidden until it is asked for', async () => {
    const { backend, container } = openPanel('#settings/api');
    const reveal = await screen.findByRole('button', { name: 'Reveal' });
    expect(backend.asked.some((a) => a.method === 'revealToken')).toBe(false);
    await fireEvent.click(reveal);
    expect(await screen.findByText('a'.repeat(64))).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Hide' }));
    expect(container.textContent).not.toContain('a'.repeat(64));
    await fireEvent.click(screen.getByRole('button', { name: 'Copy the token' }));
    await waitFor(() => expect(backend.copied).toEqual(['a'.repeat(64)]));
    expect(container.textContent).not.toContain('a'.repeat(64));
  });

  it('rotates the token after a confirm', async () => {
    const { backend } = openPanel('#settings/api');
    await fireEvent.click(await screen.findByRole('button', { name: 'Rotate…' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(backend.token).toBe('a'.repeat(64));
    await fireEvent.click(dialog.getByRole('button', { name: 'Rotate the token' }));
    expect(await screen.findByText(/The token is new/)).toBeTruthy();
    expect(backend.token).toBe('b'.repeat(64));
  });

  it('paints a theme at once, and goes back when it could not be saved', async () => {
    const { backend } = openPanel('#settings/appearance');
    const neon = await screen.findByLabelText('Neon');
    await fireEvent.click(neon);
    await waitFor(() => expect(document.documentElement.dataset['theme']).toBe('neon'));
    expect(localStorage.getItem('kuang-theme')).toBe('neon');
    backend.failNext('setTheme', { what: 'The change was not saved: disk full.' });
    await fireEvent.click(screen.getByLabelText('Terminal'));
    expect(await screen.findByText('The change was not saved: disk full.')).toBeTruthy();
    expect(document.documentElement.dataset['theme']).toBe('neon');
    expect(screen.getByLabelText<HTMLInputElement>('Neon').checked).toBe(true);
  });
});
