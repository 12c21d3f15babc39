import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeHud } from '../backend/fake';
import { HudAnnouncer, SealedPulse, hudSentences, patchShown, patchedHosts, pulse } from './hud.svelte';

describe('the patch chip', () => {
  it('stands while the lever is on or a document is patched, and names the pages', () => {
    const hud = fakeHud();
    expect(patchShown(hud)).toBe(false);
    hud.patch.armed = true;
    expect([patchShown(hud), patchedHosts(hud)]).toEqual([true, '']);
    hud.patch.armed = false;
    hud.patch.tabs = [{ id: 't1', host: 'a.example' }, { id: 't2', host: 'b.example' }, { id: 't3', host: 'a.example' }];
    expect([patchShown(hud), patchedHosts(hud)]).toEqual([true, 'a.example and 1 more']);
  });
});

describe('SealedPulse', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const sealed = (reading: boolean, reads: number) => ({ ...fakeHud(), sealed: { reading, reads } });

  it('shows a read that was over before anybody looked', () => {
    const p = new SealedPulse();
    p.follow(sealed(false, 4));
    expect(p.reading).toBe(false); // Reads of before this window are no news.
    p.follow(sealed(false, 5));
    expect(p.reading).toBe(true);
    vi.advanceTimersByTime(pulse);
    expect(p.reading).toBe(false);
  });

  it('stands for as long as a read runs', () => {
    const p = new SealedPulse();
    p.follow(sealed(true, 1));
    vi.advanceTimersByTime(pulse * 3);
    expect(p.reading).toBe(true);
    p.follow(sealed(false, 1));
    vi.advanceTimersByTime(pulse);
    expect(p.reading).toBe(false);
  });
});

describe('HudAnnouncer', () => {
  it('says what changed and nothing else', () => {
    const announcer = new HudAnnouncer();
    const hud = fakeHud();
    announcer.follow(hudSentences(hud, false));
    expect(announcer.text).toBe('');
    hud.browser.state = 'down';
    announcer.follow(hudSentences(hud, false));
    expect(announcer.text).toBe('Chromium is down.');
    hud.walk = { on: false, locked: 'KUANG_SHADOW_WALK=off' };
    hud.api.clients = 1;
    announcer.follow(hudSentences(hud, false));
    expect(announcer.text).toBe('1 client is connected. Shadow Walk is off, set by KUANG_SHADOW_WALK=off.');
  });
});
