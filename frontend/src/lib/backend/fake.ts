import { BackendError, type Backend } from './backend';
import type { Action, BridgeError, Deck, Entry, Hud, LeverState, Methods, Overview, Run, ShadowWalk, Status, Theme, Topic } from './contract';

/** A call that the fake was asked for. */
export interface Asked {
  method: keyof Methods;
  args: unknown[];
}

/**
 * A backend in memory, for tests of components and for looking at the panel without Kuang. What it knows is plain
 * data that a test may change; emit tells the panel that it did.
 */
export class FakeBackend implements Backend {
  readonly asked: Asked[] = [];
  readonly copied: string[] = [];
  readonly #listeners = new Set<(topic: Topic) => void>();
  readonly #failures = new Map<keyof Methods, BridgeError>();
  /** Methods that do not answer until release is called. */
  readonly #held = new Map<keyof Methods, { promise: Promise<void>; release: () => void }>();

  hudState: Hud = fakeHud();
  levers: LeverState[] = fakeLevers();
  savedAt: string | undefined = '2026-12-01T14:22:10.000Z';
  unknown: string[] = [];
  walkFaults: ShadowWalk['faults'] = [];
  overviewState: Overview = fakeOverview();
  deckState: Deck = { fresh: true, sessions: [], last: [], commands: fakeCommands() };
  status: Status = fakeStatus();
  runList: Run[] = [];
  entries: Entry[] = [];
  actions: Action[] = [];
  token = 'a'.repeat(64);
  theme: Theme = 'sunlit';
  exportPath = '/home/ada/price-watch.jsonl';

  /** Makes the next call of a method fail. */
  failNext(method: keyof Methods, e: Partial<BridgeError> = {}): void {
    this.#failures.set(method, { code: 'INTERNAL', what: 'It did not work.', do: 'Try again.', route: '', label: '', ...e });
  }

  /** Keeps a method from answering until the returned function is called. */
  hold(method: keyof Methods): () => void {
    let release = () => {};
    const promise = new Promise<void>((resolve) => (release = resolve));
    this.#held.set(method, { promise, release });
    return () => {
      this.#held.delete(method);
      release();
    };
  }

  emit(...topics: Topic[]): void {
    for (const topic of topics) for (const fn of this.#listeners) fn(topic);
  }

  onChange(fn: (topic: Topic) => void): () => void {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  async copy(text: string): Promise<void> {
    this.copied.push(text);
  }

  async #answer<T>(method: keyof Methods, args: unknown[], value: () => T): Promise<T> {
    this.asked.push({ method, args });
    await this.#held.get(method)?.promise;
    const failure = this.#failures.get(method);
    if (failure) {
      this.#failures.delete(method);
      throw new BackendError(failure);
    }
    return structuredClone(value());
  }

  #walk(): ShadowWalk {
    return {
      levers: this.levers, unknown: this.unknown, patched: this.hudState.patch.tabs, faults: this.walkFaults,
      ...(this.savedAt ? { saved_at: this.savedAt } : {}),
    };
  }

  #set(key: string, change: Partial<LeverState>): ShadowWalk {
    this.levers = this.levers.map((l) => (l.key === key ? { ...l, ...change, default: false } : l));
    this.savedAt = new Date().toISOString();
    const on = (k: string) => this.levers.find((l) => l.key === k)?.on ?? false;
    this.hudState = { ...this.hudState, walk: { ...this.hudState.walk, on: on('enabled') }, patch: { ...this.hudState.patch, armed: on('shadow.forceOpen') } };
    return this.#walk();
  }

  hud = () => this.#answer('hud', [], () => this.hudState);
  shadowWalk = () => this.#answer('shadowWalk', [], () => this.#walk());
  setSwitch = (key: string, on: boolean) => this.#answer('setSwitch', [key, on], () => this.#set(key, { on }));
  setNumber = (key: string, value: number) => this.#answer('setNumber', [key, value], () => this.#set(key, { number: value }));
  arm = (key: string, word: string) => this.#answer('arm', [key, word], () => this.#set(key, { on: true }));
  resetShadowWalk = () =>
    this.#answer('resetShadowWalk', [], () => {
      this.levers = fakeLevers();
      return this.#set('', {});
    });
  reloadTab = (id: string) => this.#answer('reloadTab', [id], () => undefined);
  overview = () => this.#answer('overview', [], () => this.overviewState);
  countFromNow = () =>
    this.#answer('countFromNow', [], () => {
      const zero = (rows: Overview['counters']['quiet']) => rows.map((c) => ({ ...c, this_tab: 0, all_tabs: 0 }));
      const { quiet, driving } = this.overviewState.counters;
      this.overviewState = { ...this.overviewState, counters: { since: new Date().toISOString(), quiet: zero(quiet), driving: zero(driving) } };
      return this.overviewState;
    });
  deck = () => this.#answer('deck', [], () => this.deckState);
  runs = (page: number, outcome: string, site: string) =>
    this.#answer('runs', [page, outcome, site], () => {
      const found = this.runList.filter((r) => (!outcome || r.outcome === outcome) && (!site || r.sites.includes(site)));
      return {
        runs: found.slice((page - 1) * 10, page * 10), total: found.length, page, per_page: 10,
        sites: [...new Set(this.runList.flatMap((r) => r.sites))].sort(),
      };
    });
  run = (id: string) =>
    this.#answer('run', [id], () => {
      const run = this.runList.find((r) => r.id === id);
      if (!run) throw new BackendError({ code: 'UNKNOWN_RUN', what: 'This run is no longer in the log.', do: '', route: 'runs', label: 'All runs' });
      const calls = this.entries.map((e) => ({
        id: e.id, at: e.at, verb: e.verb, tab: e.tab, site: e.site, outcome: e.outcome, code: e.code, duration_ms: e.duration_ms,
        say: typeof e.input === 'object' ? Object.entries(e.input ?? {}).map(([k, v]) => `${k} “${v}”`).join(', ') : '',
        verdict: typeof e.output === 'object' && e.output && 'verdict' in e.output ? String(e.output.verdict) : '',
      }));
      return { run, calls, total: run.calls };
    });
  call = (run: string, id: string) =>
    this.#answer('call', [run, id], () => {
      const entry = this.entries.find((e) => e.id === id);
      if (!entry) throw new BackendError({ code: 'UNKNOWN_RUN', what: 'This call is gone.', do: '', route: '', label: '' });
      return entry;
    });
  exportRun = (id: string) => this.#answer('exportRun', [id], () => ({ path: this.exportPath }));
  ledger = (before: string) =>
    this.#answer('ledger', [before], () => {
      const from = before ? this.actions.findIndex((a) => a.id === before) + 1 : 0;
      const actions = this.actions.slice(from, from + 50);
      return { actions, older: from + 50 < this.actions.length ? (actions.at(-1)?.id ?? '') : '' };
    });
  browser = () => this.#answer('browser', [], () => ({ status: this.status, tabs: 6, yours: 2, faults: this.hudState.faults.filter((f) => f.area === 'browser') }));
  restartBrowser = () => this.#answer('restartBrowser', [], () => undefined);
  api = () =>
    this.#answer('api', [], () => ({
      url: this.hudState.api.address ? `http://${this.hudState.api.address}` : '', token_file: '/home/ada/.local/share/kuang/token',
      clients: this.deckState.sessions.map((s) => ({ name: s.client, surface: s.surface, session: s.id, calls: s.calls, ...(s.last_at ? { last_at: s.last_at } : {}) })),
      connected: this.hudState.api.clients, commands: fakeCommands(), faults: this.hudState.faults.filter((f) => f.area === 'api'),
    }));
  revealToken = () => this.#answer('revealToken', [], () => ({ value: this.token }));
  rotateToken = () =>
    this.#answer('rotateToken', [], () => {
      this.token = 'b'.repeat(64);
      return { value: this.token };
    });
  appearance = () => this.#answer('appearance', [], () => ({ theme: this.theme, faults: [] }));
  setTheme = (theme: Theme) =>
    this.#answer('setTheme', [theme], () => {
      this.theme = theme;
      return { theme, faults: [] };
    });
}

export function fakeHud(): Hud {
  return {
    version: '0.1.0',
    browser: { state: 'running', product: 'Chromium', major: '156', transport: 'pipe', since: '2026-12-01T13:40:12.000Z' },
    api: { address: '127.0.0.1:7423', clients: 0 },
    walk: { on: true, locked: '' },
    patch: { armed: false, locked: '', tabs: [] },
    sealed: { reading: false, reads: 0 },
    faults: [],
  };
}

export function fakeStatus(): Status {
  return {
    state: 'running', product: 'Chromium', version: '156.0.8078.114', transport: 'pipe', executable: '/usr/bin/chromium',
    profile: '/home/ada/.local/share/kuang/profile', headless: false, no_sandbox: false, restarts: 0, since: '2026-12-01T13:40:12.000Z',
  };
}

function fakeCommands() {
  return [
    { label: 'HTTP', text: `curl http://127.0.0.1:7423/v1/navigate -H "Authorization: Bearer $(cat /home/ada/.local/share/kuang/token)" -d '{"url":"https://example.com"}'` },
    { label: 'MCP', text: '{"mcpServers":{"kuang":{"args":["mcp"],"command":"/home/ada/kuang/build/bin/kuang"}}}' },
    { label: 'CLI', text: '/home/ada/kuang/build/bin/kuang navigate --url https://example.com' },
  ];
}

function fakeOverview(): Overview {
  const counter = (name: string) => ({ name, this_tab: 0, all_tabs: 0 });
  return {
    tab: null,
    counters: { since: '2026-12-01T14:02:00.000Z', quiet: ['Accessibility', 'DOM', 'CSS', 'DOMSnapshot', 'Overlay', 'Runtime.enable'].map(counter), driving: [] },
  };
}

type Given = Partial<LeverState> & Pick<LeverState, 'key' | 'name' | 'line'>;

/** The fields that most levers share. */
export function fakeLever(given: Given): LeverState {
  return {
    off: '', code: '', tier: 'SAFE', kind: 'switch', page: 'shadow-dom', group: 'Reading', parent: '', built: true,
    on: true, number: 0, default: true, min: 0, max: 0, unit: '', locked: '', ...given,
  };
}

/** A policy with a lever of every kind; settings/table.go has the real one. */
export function fakeLevers(): LeverState[] {
  const moving = 'Moving and marking';
  return [
    fakeLever({ key: 'enabled', name: 'Shadow Walk', line: 'One switch above all the others. While it is off, no call gets into sealed content or frames.', code: 'SHADOW_WALK_DISABLED', off: 'agents get SHADOW_WALK_DISABLED', page: 'overview', group: 'Master switch' }),
    fakeLever({ key: 'shadow.axSealed', name: 'Sealed controls', line: 'Lets a call find the buttons and fields of closed components by role and name. What somebody typed is never read.', code: 'SEALED_DISABLED', off: 'agents get SEALED_DISABLED' }),
    fakeLever({ key: 'shadow.deepOpenRoots', name: 'Open roots', line: 'Lets a call look into the components that a page did not close.', code: 'DEEP_OPEN_ROOTS_DISABLED', off: 'agents get DEEP_OPEN_ROOTS_DISABLED' }),
    fakeLever({ key: 'shadow.cdpStyleMatch', name: 'Style sources', line: 'Names the stylesheet behind each sealed control. Every control costs one more read.', off: 'the answer leaves this out', tier: 'COST', on: false, built: false }),
    fakeLever({ key: 'shadow.tabWalk', name: 'Tab walk', line: 'Lets a call press Tab to move through a component, so the focus ring moves in front of you.', code: 'TAB_WALK_DISABLED', off: 'agents get TAB_WALK_DISABLED', tier: 'VISIBLE', group: moving }),
    fakeLever({ key: 'shadow.tabWalkMaxSteps', name: 'Steps in one walk', line: 'After this many presses a walk ends, wherever it is.', tier: 'VISIBLE', kind: 'number', on: false, number: 8, min: 1, max: 24, group: moving, parent: 'shadow.tabWalk' }),
    fakeLever({ key: 'shadow.forceOpen', name: 'Force open', line: 'Swaps attachShadow for one that leaves every root open, before a page runs its first script. Any page can find out.', off: 'closed roots stay closed', tier: 'RISKY', on: false, group: 'Changing the page' }),
    fakeLever({ key: 'frames.geometry', name: 'Frame places', line: 'Lets a call list the frames of a page, with the address and the place of each.', code: 'FRAMES_DISABLED', off: 'agents get FRAMES_DISABLED', page: 'iframes', built: false }),
    fakeLever({ key: 'frames.screenshotMaxSide', name: 'Longest side of a picture', line: 'A picture that is larger is made smaller.', kind: 'number', on: false, number: 1024, min: 256, max: 4096, unit: 'px', page: 'iframes', built: false }),
    fakeLever({ key: 'cloneLab.enabled', name: 'Clone Lab', line: 'Studies a copy of the page, opened in a profile that is thrown away, and leaves your page alone. It never acts. The site does see the copy arrive: a second visit, with its own cookies and its own timing.', off: 'no copy is opened', tier: 'VISIBLE', on: false, page: 'clone-lab', group: 'Clone Lab', built: false }),
  ];
}
