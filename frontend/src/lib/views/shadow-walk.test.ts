import { fireEvent, screen, within } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import { openPanel } from '../../test/app';

const domPage = '#settings/shadow-walk/shadow-dom';
const row = async (name: string) => {
  const heading = await screen.findByRole('heading', { level: 3, name });
  const item = heading.closest('li');
  if (!item) throw new Error(`no row ${name}`);
  return within(item);
};

it('saves a switch at once and says so', async () => {
  const { backend } = openPanel(domPage);
  const sealed = (await row('Sealed controls')).getByRole<HTMLInputElement>('switch');
  expect(sealed.checked).toBe(true);
  const release = backend.hold('setSwitch');
  await fireEvent.click(sealed);
  expect(sealed.checked).toBe(false);
  expect(await screen.findByText('Saving')).toBeTruthy();
  release();
  expect(await screen.findByText(/^Saved/)).toBeTruthy();
  expect(sealed.checked).toBe(false);
  expect(backend.asked).toContainEqual({ method: 'setSwitch', args: ['shadow.axSealed', false] });
});

it('puts a switch back when it could not be saved, with the reason in its row', async () => {
  openPanel(domPage, (b) => b.failNext('setSwitch', { code: 'SAVE_FAILED', what: 'The change was not saved: disk full.', do: 'Free some room.' }));
  const sealed = await row('Sealed controls');
  const control = sealed.getByRole<HTMLInputElement>('switch');
  await fireEvent.click(control);
  expect(await sealed.findByText('The change was not saved: disk full.')).toBeTruthy();
  expect(sealed.getByText('Free some room.')).toBeTruthy();
  expect(control.checked).toBe(true);
});

it('shows every lever with its tier, and no switch for what this build has not', async () => {
  openPanel(domPage);
  expect((await row('Sealed controls')).getByText('SAFE')).toBeTruthy();
  expect((await row('Tab walk')).getByText('VISIBLE')).toBeTruthy();
  const styles = await row('Style sources');
  expect(styles.getByText('COST')).toBeTruthy();
  expect(styles.getByText('Not in this build')).toBeTruthy();
  expect(styles.queryByRole('switch')).toBeNull();
});

it('checks a number while it is typed, and saves it when it is right', async () => {
  const { backend } = openPanel(domPage);
  const steps = await row('Steps in one walk');
  const field = steps.getByRole<HTMLInputElement>('spinbutton');
  await fireEvent.input(field, { target: { value: '25' } });
  expect(await steps.findByText('1 to 24. Still 8.')).toBeTruthy();
  expect(field.getAttribute('aria-invalid')).toBe('true');
  await fireEvent.change(field);
  expect(backend.asked.some((a) => a.method === 'setNumber')).toBe(false);
  await fireEvent.input(field, { target: { value: '12' } });
  expect(steps.getByText('1 to 24')).toBeTruthy();
  await fireEvent.change(field);
  expect(backend.asked).toContainEqual({ method: 'setNumber', args: ['shadow.tabWalkMaxSteps', 12] });
});

it('holds the levers below a master switch that is off', async () => {
  openPanel(domPage, (b) => {
    b.levers = b.levers.map((l) => (l.key === 'enabled' ? { ...l, on: false } : l));
  });
  const sealed = (await row('Sealed controls')).getByRole<HTMLInputElement>('switch');
  expect([sealed.disabled, sealed.checked]).toEqual([true, true]);
  expect((await row('Steps in one walk')).getByRole<HTMLInputElement>('spinbutton').disabled).toBe(true);
  expect((await row('Force open')).getByRole<HTMLButtonElement>('button', { name: 'Arm…' }).disabled).toBe(true);
});

it('shows a lever that a variable decides as its value, and names the variable', async () => {
  openPanel('#settings/shadow-walk/overview', (b) => {
    b.levers = b.levers.map((l) => (l.key === 'enabled' ? { ...l, on: false, locked: 'KUANG_SHADOW_WALK=off' } : l));
  });
  const master = await row('Shadow Walk');
  expect(master.queryByRole('switch')).toBeNull();
  expect(master.getByText('Off')).toBeTruthy();
  expect(master.getByText('KUANG_SHADOW_WALK=off')).toBeTruthy();
});

it('arms force-open only by the typed word, and disarms with one press', async () => {
  const { backend } = openPanel(domPage);
  const force = await row('Force open');
  await fireEvent.click(force.getByRole('button', { name: 'Arm…' }));
  const dialog = within(await screen.findByRole('dialog'));
  const red = dialog.getByRole<HTMLButtonElement>('button', { name: 'Arm force-open' });
  const word = dialog.getByRole<HTMLInputElement>('textbox');
  for (const wrong of ['', 'AR', 'arm', 'ARMED']) {
    await fireEvent.input(word, { target: { value: wrong } });
    expect(red.disabled).toBe(true);
  }
  await fireEvent.input(word, { target: { value: 'ARM' } });
  expect(red.disabled).toBe(false);
  await fireEvent.click(red);
  expect(backend.asked).toContainEqual({ method: 'arm', args: ['shadow.forceOpen', 'ARM'] });
  await fireEvent.click(await force.findByRole('button', { name: 'Disarm' }));
  expect(backend.asked).toContainEqual({ method: 'setSwitch', args: ['shadow.forceOpen', false] });
  expect(await force.findByRole('button', { name: 'Arm…' })).toBeTruthy();
});

it('keeps the dialog open with the reason when arming fails', async () => {
  openPanel(domPage, (b) => b.failNext('arm', { code: 'SAVE_FAILED', what: 'The change was not saved: read-only.' }));
  await fireEvent.click((await row('Force open')).getByRole('button', { name: 'Arm…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await fireEvent.input(dialog.getByRole('textbox'), { target: { value: 'ARM' } });
  await fireEvent.click(dialog.getByRole('button', { name: 'Arm force-open' }));
  expect(await dialog.findByText('The change was not saved: read-only.')).toBeTruthy();
});

it('names the pages that are still patched and offers to reload them', async () => {
  const { backend } = openPanel(domPage, (b) => (b.hudState.patch.tabs = [{ id: 't6', host: 'lab.example' }]));
  const force = await row('Force open');
  expect(force.getByText('lab.example')).toBeTruthy();
  await fireEvent.click(force.getByRole('button', { name: 'Reload t6' }));
  expect(backend.asked).toContainEqual({ method: 'reloadTab', args: ['t6'] });
});

it('asks before it resets, and names what differs', async () => {
  const { backend } = openPanel(domPage, (b) => {
    b.levers = b.levers.map((l) => (l.key === 'shadow.axSealed' ? { ...l, on: false, default: false } : l));
  });
  await row('Sealed controls');
  await fireEvent.click(screen.getByRole('button', { name: 'Reset defaults' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/One lever differs from the defaults: Sealed controls/)).toBeTruthy();
  expect(backend.asked.some((a) => a.method === 'resetShadowWalk')).toBe(false);
  await fireEvent.click(dialog.getByRole('button', { name: 'Reset defaults' }));
  expect(backend.asked.some((a) => a.method === 'resetShadowWalk')).toBe(true);
  expect((await row('Sealed controls')).getByRole<HTMLInputElement>('switch').checked).toBe(true);
});

it('shows the active tab and counts from now on', async () => {
  const { backend } = openPanel('#settings/shadow-walk/overview', (b) => {
    const { counters } = b.overviewState;
    b.overviewState = {
      tab: { tab: { id: 't3', host: 'shop.example', title: 'Stoves' }, sealed: 7, read_at: '2026-12-01T13:58:00Z', framed: true, frames: 3, other_site: 1, patched: false },
      counters: { ...counters, quiet: counters.quiet.map((c) => (c.name === 'Accessibility' ? { ...c, all_tabs: 3 } : c)) },
    };
  });
  expect(await screen.findByText('shop.example')).toBeTruthy();
  expect(screen.getByText('1 from another site')).toBeTruthy();
  expect(screen.getByText(/^3 accessibility commands since/)).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Count from now' }));
  expect(await screen.findByText(/^0 accessibility commands since/)).toBeTruthy();
  expect(backend.asked.some((a) => a.method === 'countFromNow')).toBe(true);
});

it('says which settings the file holds that this build does not know', async () => {
  openPanel(domPage, (b) => (b.unknown = ['shadow.futureLever']));
  expect(await screen.findByText('shadow.futureLever')).toBeTruthy();
});
