import type { Action, Entry, Run } from '../src/lib/backend/contract';
import type { FakeBackend } from '../src/lib/backend/fake';

const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString();

/** Puts an invented world into the fake. */
export function scene(b: FakeBackend, name: string): void {
  if (name === 'fresh') return;
  story(b);
  switch (name) {
    case 'down':
      b.hudState.browser.state = 'down';
      b.status = { ...b.status, state: 'down', problem: { what: '', fix: '', tried: [] } };
      b.hudState.faults = [
        {
          code: 'BROWSER_DOWN', area: 'browser', what: 'Chromium stopped twice within a minute, so Kuang did not start it again.',
          do: 'Start it again. If it stops once more, look at the executable in Settings.', route: 'settings/browser', label: 'Browser settings', remedy: 'restart_browser',
        },
      ];
      break;
    case 'locked':
      b.hudState.walk = { on: false, locked: 'KUANG_SHADOW_WALK=off' };
      b.levers = b.levers.map((l) => (l.key === 'enabled' ? { ...l, on: false, locked: 'KUANG_SHADOW_WALK=off' } : l.key === 'shadow.forceOpen' ? { ...l, on: true, locked: 'KUANG_FORCE_OPEN_SHADOW=1' } : l));
      break;
    case 'broken': {
      const aside = {
        code: 'FILE_SET_ASIDE', area: 'policy' as const, what: 'The Shadow Walk file was damaged, so the defaults hold.',
        do: 'It is kept as shadow-walk.json.broken-20261201T140200Z. Set what you want again, or mend that file and put it back while Kuang is closed.',
        route: 'settings/shadow-walk/overview', label: 'Shadow Walk', remedy: '' as const,
      };
      b.hudState.faults = [aside, { ...aside, code: 'DATABASE_SET_ASIDE', area: 'log', what: 'The log of runs was damaged, so a new one was begun.', do: 'The old one is kept as kuang.db.broken-20261201T140200Z.', route: '', label: '' }];
      b.walkFaults = [aside];
      b.unknown = ['shadow.futureLever'];
      b.failNext('setSwitch', { code: 'SAVE_FAILED', what: 'The change was not saved: no space left on device.', do: 'What held before still holds. Check that the data directory can be written and has room, then try again.' });
      break;
    }
    case 'slow':
      for (const m of ['runs', 'ledger', 'deck', 'shadowWalk', 'browser', 'api'] as const) b.hold(m);
  }
}

function story(b: FakeBackend): void {
  const site = (i: number) => ['shop.example', 'docs.example', 'parts.example', 'stock.example'][i % 4] ?? '';
  const client = (i: number) => ['docs-reader', 'returns-desk', 'price-watch', 'inventory-sync'][i % 4] ?? '';
  b.hudState.api.clients = 3;
  b.hudState.patch.tabs = [{ id: 't6', host: 'lab.example' }];
  b.runList = Array.from({ length: 47 }, (_, i): Run => {
    const outcome = i % 7 === 4 ? 'refused' : i % 7 === 6 ? 'failed' : 'ok';
    return {
      id: `01RUN${i}`, session: 'qmrt', client: client(i), surface: i % 2 ? 'http' : 'mcp', started_at: at(60 + i * 1900), last_at: at(60 + i * 1900 - 18 * (i + 1)),
      calls: i === 2 ? 312 : 4 + i * 3, failures: outcome === 'ok' ? 0 : 2, sites: i % 3 ? [site(i)] : [site(i), 'accounts.example'], outcome,
    };
  });
  const base = { run_id: '01RUN2', tab: 't3', site: 'shop.example', outcome: 'ok', code: '', input_cut: false, input_bytes: 90, output_cut: false, output_bytes: 300 };
  const calls: Partial<Entry>[] = [
    { verb: 'find', outcome: 'refused', code: 'SEALED_DISABLED', duration_ms: 1, input: { role: 'button', name: 'Confirm order' }, output: { ok: false, error: { code: 'SEALED_DISABLED', message: 'Sealed controls is off.', setting: 'shadow.axSealed', where: 'Settings → Shadow Walk → Shadow DOM' } }, protocol: {} },
    { verb: 'act', duration_ms: 212, input: { x: 946, y: 534 }, output: { ok: true, tab: 't3', revision: 45, verdict: 'effect', delta: { nodes: 3 } }, protocol: { 'Input.dispatchMouseEvent': 9, 'Runtime.callFunctionOn': 2 } },
    { verb: 'find', duration_ms: 96, input: { role: 'button', name: 'Show delivery price', sealed: true }, output: { ok: true, tab: 't3', revision: 44, marks: [], sealed: [{ token: 's1', role: 'button', name: 'Show delivery price', source: 'ax', rect: { x: 872, y: 514, w: 148, h: 40 }, actions: ['click'] }], untrusted: true }, protocol: { 'DOM.performSearch': 1, 'DOM.getSearchResults': 1, 'Accessibility.getPartialAXTree': 3, 'DOM.getBoxModel': 1 } },
    { verb: 'act', duration_ms: 402, input: { action: 'type', text: '[redacted]', mark_id: 12 }, output: { ok: true, verdict: 'effect', typing: { characters: 11 } }, protocol: { 'Input.insertText': 1 } },
    { verb: 'act', duration_ms: 604, input: { selector: '#sort-by-price' }, output: { ok: true, verdict: 'no_effect' }, protocol: {} },
    { verb: 'wait_for', outcome: 'failed', code: 'TIMEOUT', duration_ms: 5000, input: { selector: '.results' }, output: { ok: false, error: { code: 'TIMEOUT', message: 'Nothing matched .results within 5 s.' } }, protocol: {} },
    { verb: 'screenshot', duration_ms: 184, input: { full_page: true }, output: { ok: true, path: 'shots/01.png' }, protocol: { 'Page.captureScreenshot': 1 } },
    { verb: 'observe', duration_ms: 54, input: { as: 'components' }, output: { ok: true, text: 'button “Sort by price”' }, protocol: {} },
    { verb: 'navigate', duration_ms: 612, input: { url: 'https://shop.example/stoves' }, output: { ok: true, verdict: 'navigated', status: 200 }, protocol: { 'Page.navigate': 1 } },
  ];
  const started = Date.parse(b.runList[2]?.started_at ?? '');
  b.entries = calls.map((c, i) => ({ ...base, id: `01CALL${i}`, at: new Date(started + (46 - i * 4.3) * 1000).toISOString(), verb: '', duration_ms: 0, input: {}, output: {}, protocol: {}, ...c }));
  const sentences: [string, string, string][] = [
    ['navigate', 'Opened docs.example/releases/4.2 in a new tab', 'close tab t4'], ['act', 'Clicked “Show delivery price” on shop.example', ''],
    ['type', 'Typed 11 characters into “Search the shop” on shop.example', ''], ['navigate', 'Went to shop.example/stoves', 'back'],
    ['act', 'Clicked “Send the code” on accounts.example', ''], ['act', 'Clicked “Claim your gift⟨U+202E⟩exe.fig” on parts.example', ''],
    ['tabs_close', 'Closed “Basket” on shop.example', 'open'], ['reload', 'Loaded parts.example/orders/5521 again', ''],
  ];
  b.actions = Array.from({ length: 130 }, (_, i): Action => {
    const [verb, sentence, undo] = sentences[i % sentences.length] ?? ['', '', ''];
    return { id: `01ACT${i}`, at: at(20 + i * 1700), run_id: '01RUN2', client: client(i), surface: 'http', session: 'qmrt', tab: `t${(i % 6) + 1}`, site: site(i), verb, sentence, undo };
  });
  b.deckState = {
    ...b.deckState, fresh: false, last: b.actions.slice(0, 5),
    sessions: [
      { id: 'qmrt', client: 'price-watch', surface: 'http', tab: { id: 't3', host: 'shop.example', title: 'Two-burner stoves, 12 found' }, tabs: 2, calls: 312, first_at: at(1470), last_at: at(1), last_verb: 'act', last_site: 'shop.example', last_outcome: 'ok', run_id: '01RUN2' },
      { id: 'hbve', client: 'docs-reader', surface: 'mcp', tab: { id: 't4', host: 'docs.example', title: 'Release notes 4.2, what changed in the importer and why it took so long' }, tabs: 1, calls: 4, first_at: at(40), last_at: at(22), last_verb: 'observe', last_site: 'docs.example', last_outcome: 'ok', run_id: '01RUN0' },
      { id: 'kdwn', client: 'returns-desk', surface: 'cli', tab: null, tabs: 0, calls: 0, last_verb: '', last_site: '', last_outcome: '', run_id: '' },
    ],
  };
  b.overviewState = {
    tab: { tab: { id: 't3', host: 'shop.example', title: 'Two-burner stoves, 12 found' }, sealed: 7, read_at: at(900), framed: true, frames: 3, other_site: 1, patched: false },
    counters: {
      since: at(1800),
      quiet: [['Accessibility', 0, 3], ['DOM', 0, 6], ['CSS', 0, 0], ['DOMSnapshot', 0, 0], ['Overlay', 0, 0], ['Runtime.enable', 0, 0]].map(([name, t, a]) => ({ name: String(name), this_tab: Number(t), all_tabs: Number(a) })),
      driving: [['Emulation', 1, 6], ['Input', 0, 73], ['Network', 2, 8], ['Page', 9, 41], ['Runtime', 14, 180], ['Target', 1, 7]].map(([name, t, a]) => ({ name: String(name), this_tab: Number(t), all_tabs: Number(a) })),
    },
  };
}
