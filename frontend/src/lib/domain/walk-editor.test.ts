import { expect, it } from 'vitest';
import { FakeBackend, fakeLever } from '../backend/fake';
import { PanelState } from './state.svelte';
import { WalkEditor, numberProblem } from './walk-editor.svelte';

async function editing() {
  const backend = new FakeBackend();
  const panel = new PanelState(backend);
  await panel.walk.refresh();
  const lever = (key: string) => {
    const found = panel.walk.value?.levers.find((l) => l.key === key);
    if (!found) throw new Error(key);
    return found;
  };
  return { backend, panel, editor: new WalkEditor(panel), lever };
}

it('shows what was asked for while it is saved, and what was saved afterwards', async () => {
  const { backend, editor, lever } = await editing();
  const release = backend.hold('setSwitch');
  const saved = editor.setSwitch('shadow.axSealed', false);
  expect([editor.on(lever('shadow.axSealed')), editor.saving]).toEqual([false, 0]);
  expect(lever('shadow.axSealed').on).toBe(true);
  release();
  expect(await saved).toBe(true);
  expect([lever('shadow.axSealed').on, editor.saving]).toEqual([false, undefined]);
});

it('goes back when a save fails, and says why at that lever', async () => {
  const { backend, editor, lever } = await editing();
  backend.failNext('setSwitch', { code: 'SAVE_FAILED', what: 'The change was not saved: disk full.' });
  expect(await editor.setSwitch('shadow.axSealed', false)).toBe(false);
  expect(editor.on(lever('shadow.axSealed'))).toBe(true);
  expect(editor.error('shadow.axSealed')?.what).toContain('disk full');
  expect(editor.error('enabled')).toBeUndefined();
});

it('saves the latest of several wishes, one after another', async () => {
  const { backend, editor, lever } = await editing();
  const release = backend.hold('setSwitch');
  const first = editor.setSwitch('shadow.axSealed', false);
  void editor.setSwitch('shadow.axSealed', true);
  void editor.setSwitch('shadow.axSealed', false);
  void editor.setSwitch('shadow.axSealed', true);
  expect(editor.on(lever('shadow.axSealed'))).toBe(true);
  release();
  await first;
  expect(backend.asked.filter((a) => a.method === 'setSwitch').map((a) => a.args[1])).toEqual([false, true]);
  expect([lever('shadow.axSealed').on, editor.saving]).toEqual([true, undefined]);
});

it('arms with the word, and resets', async () => {
  const { backend, editor, lever } = await editing();
  await editor.arm('shadow.forceOpen', 'ARM');
  expect(backend.asked.at(-1)).toEqual({ method: 'arm', args: ['shadow.forceOpen', 'ARM'] });
  expect(lever('shadow.forceOpen').on).toBe(true);
  expect(await editor.reset()).toBe(true);
  expect(lever('shadow.forceOpen').on).toBe(false);
});

const steps = fakeLever({ key: 'n', name: 'Steps', line: '', kind: 'number', min: 1, max: 24, number: 8 });

it.each([
  ['1', undefined], ['24', undefined], [' 7 ', undefined], ['0', '1 to 24. Still 8.'], ['25', '1 to 24. Still 8.'],
  ['', '1 to 24. Still 8.'], ['2.5', '1 to 24. Still 8.'], ['-3', '1 to 24. Still 8.'], ['1e1', '1 to 24. Still 8.'],
])('reads the number %j', (typed, problem) => expect(numberProblem(typed, steps, 8)).toBe(problem));
