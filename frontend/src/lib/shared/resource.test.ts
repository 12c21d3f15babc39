import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackendError } from '../backend/backend';
import { Resource } from './resource.svelte';

/** A question whose answers are given by hand. */
function asked<T>() {
  const open: { resolve: (value: T) => void; reject: (reason: unknown) => void }[] = [];
  const ask = vi.fn(() => new Promise<T>((resolve, reject) => open.push({ resolve, reject })));
  const settled = () => vi.advanceTimersByTimeAsync(0);
  return {
    ask,
    answer: (value: T) => (open.shift()?.resolve(value), settled()),
    fail: (reason: unknown) => (open.shift()?.reject(reason), settled()),
  };
}

const silence = new BackendError({ code: 'NO_ANSWER', what: 'Kuang does not answer.', do: '', route: '', label: '' });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('Resource', () => {
  it('asks when somebody looks, and not before', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    r.changed();
    expect(q.ask).not.toHaveBeenCalled();
    r.watch();
    expect(q.ask).toHaveBeenCalledOnce();
    await q.answer(1);
    expect(r.value).toBe(1);
    expect(r.stale).toBe(false);
  });

  it('keeps the last known value when asking fails, and says that it is stale', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    r.watch();
    await q.answer(1);
    r.changed();
    await q.fail(new Error('gone'));
    expect(r.value).toBe(1);
    expect(r.error?.what).toContain('gone');
    expect(r.stale).toBe(true);
    void r.refresh();
    await q.answer(2);
    expect([r.value, r.error, r.stale]).toEqual([2, undefined, false]);
  });

  it('is stale while an answer is overdue', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    r.watch();
    await q.answer(1);
    r.changed();
    expect(r.stale).toBe(false);
    vi.setSystemTime(Date.now() + 4000);
    expect(r.stale).toBe(true);
    expect(r.value).toBe(1);
  });

  it('has one question out at a time and asks once more for what changed meanwhile', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    r.watch();
    for (let i = 0; i < 50; i++) r.changed();
    expect(q.ask).toHaveBeenCalledTimes(1);
    await q.answer(1);
    expect(q.ask).toHaveBeenCalledTimes(2);
    await q.answer(2);
    expect(q.ask).toHaveBeenCalledTimes(2);
    expect(r.value).toBe(2);
  });

  it('drops an answer that is older than a value it was given', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    r.watch();
    r.set(5);
    await q.answer(1);
    expect(r.value).toBe(5);
    await q.answer(6); // It asked again, since the dropped answer may have held more than the given one.
    expect(r.value).toBe(6);
  });

  it('does not ask for what nobody looks at, until somebody does', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    const leave = r.watch();
    await q.answer(1);
    leave();
    r.changed();
    expect(q.ask).toHaveBeenCalledTimes(1);
    r.watch();
    expect(q.ask).toHaveBeenCalledTimes(2);
  });

  it('asks again by itself when nobody answered', async () => {
    const q = asked<number>();
    const r = new Resource(q.ask);
    r.watch();
    await q.fail(silence);
    expect(q.ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(q.ask).toHaveBeenCalledTimes(2);
  });
});
