import { expect, it } from 'vitest';
import { Task } from './task.svelte';

it('runs one thing at a time, and tells of its failure until the next', async () => {
  const task = new Task();
  let release = () => {};
  const first = task.run(() => new Promise<string>((resolve) => (release = () => resolve('done'))));
  expect(task.busy).toBe(true);
  expect(await task.run(async () => 'second')).toBeUndefined();
  release();
  expect(await first).toBe('done');
  expect(task.busy).toBe(false);

  expect(await task.run(() => Promise.reject(new Error('disk full')))).toBeUndefined();
  expect(task.error?.what).toContain('disk full');
  expect(await task.run(async () => 1)).toBe(1);
  expect(task.error).toBeUndefined();
});
