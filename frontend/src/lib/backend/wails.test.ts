import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackendError } from './backend';
import { wailsBackend } from './wails';

type Bound = (...args: unknown[]) => Promise<unknown>;

/** A window as the shell leaves it. */
function shell(methods: Record<string, Bound>, runtime: Partial<Window['runtime']> = {}): Window {
  return { go: { panel: { Panel: methods } }, runtime } as unknown as Window;
}

const failure = async (work: Promise<unknown>): Promise<BackendError> => {
  const thrown: unknown = await work.then(() => undefined, (e: unknown) => e);
  if (!(thrown instanceof BackendError)) throw new Error(`not a BackendError: ${String(thrown)}`);
  return thrown;
};

describe('the bridge', () => {
  it('calls the bound method by its Go name, with its arguments in order', async () => {
    const SetSwitch = vi.fn<Bound>(async () => ({ levers: [] }));
    expect(await wailsBackend(shell({ SetSwitch })).setSwitch('enabled', false)).toEqual({ levers: [] });
    expect(SetSwitch).toHaveBeenCalledWith('enabled', false);
  });

  it('gives a typed error back, with its code and its way out', async () => {
    const text = JSON.stringify({ code: 'SAVE_FAILED', what: 'Not saved.', do: 'Free some room.', route: 'settings/api', label: 'API' });
    for (const rejection of [text, new Error(text)]) {
      const e = await failure(wailsBackend(shell({ Hud: () => Promise.reject(rejection) })).hud());
      expect([e.code, e.what, e.do, e.route, e.label]).toEqual(['SAVE_FAILED', 'Not saved.', 'Free some room.', 'settings/api', 'API']);
    }
  });

  it.each(['error parsing arguments: x', '{not json', new TypeError('x is undefined')])('makes an error of %j too', async (rejection) => {
    const e = await failure(wailsBackend(shell({ Hud: () => Promise.reject(rejection) })).hud());
    expect(e.code).toBe('INTERNAL');
    expect(e.do).not.toBe('');
  });

  it('says so when there is no Kuang behind the page', async () => {
    const e = await failure(wailsBackend({} as Window).hud());
    expect([e.code, e.what]).toEqual(['NO_ANSWER', 'This page is not connected to Kuang.']);
  });
});

describe('silence', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const never: Bound = () => new Promise(() => {});

  it('ends in an error', async () => {
    const e = failure(wailsBackend(shell({ Runs: never })).runs(1, '', ''));
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await e).code).toBe('NO_ANSWER');
  });

  it('is allowed while a person chooses a file', async () => {
    const settled = vi.fn();
    void wailsBackend(shell({ ExportRun: never })).exportRun('01K').then(settled, settled);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(settled).not.toHaveBeenCalled();
  });
});

it('passes topics on until it is told to stop', () => {
  let tell: (changed: { topic: 'hud' }) => void = () => {};
  const off = vi.fn();
  const backend = wailsBackend(shell({}, { EventsOn: (name, fn) => ((tell = fn), expect(name).toBe('changed'), off) }));
  const topics: string[] = [];
  const stop = backend.onChange((t) => topics.push(t));
  tell({ topic: 'hud' });
  expect(topics).toEqual(['hud']);
  stop();
  expect(off).toHaveBeenCalledOnce();
});

it('copies over the shell, and says when the clipboard refuses', async () => {
  await wailsBackend(shell({}, { ClipboardSetText: async () => true })).copy('x');
  expect((await failure(wailsBackend(shell({}, { ClipboardSetText: async () => false })).copy('x'))).what).toContain('clipboard');
});
