import type { Hud } from '../backend/contract';
import { counted } from '../shared/format';

/** How long "Sealed read" stands after a read, so that one which took a few milliseconds is still seen. */
export const pulse = 1500;

/** Whether a sealed read runs, or ran a moment ago. */
export class SealedPulse {
  #shown = $state(false);
  #running = false;
  #reads: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get reading(): boolean {
    return this.#shown;
  }

  follow(hud: Hud): void {
    const { reading, reads } = hud.sealed;
    const more = this.#reads !== undefined && reads > this.#reads;
    this.#reads = reads;
    this.#running = reading;
    if (!more && !reading) return;
    this.#shown = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), pulse);
  }

  #end(): void {
    if (this.#running) this.#timer = setTimeout(() => this.#end(), pulse);
    else this.#shown = false;
  }
}

/** "lab.example", "lab.example and 1 more", or nothing when no document is patched yet. */
export function patchedHosts(hud: Hud): string {
  const hosts = [...new Set(hud.patch.tabs.map((t) => t.host))];
  const [first] = hosts;
  if (first === undefined) return '';
  return hosts.length === 1 ? first : `${first} and ${hosts.length - 1} more`;
}

/** Whether the red chip stands: the lever is on, or a document is still patched. */
export const patchShown = (hud: Hud): boolean => hud.patch.armed || hud.patch.tabs.length > 0;

/** What each chip says aloud when it changes, by chip. */
export function hudSentences(hud: Hud, reading: boolean): Record<string, string> {
  const { browser, api, walk } = hud;
  const product = browser.product || 'The browser';
  const states: Record<Hud['browser']['state'], string> = {
    running: `${product} is running.`,
    starting: `${product} is starting.`,
    restarting: `${product} is starting again.`,
    down: `${product} is down.`,
    stopped: `${product} is stopped.`,
  };
  return {
    browser: states[browser.state],
    api: api.address ? `${api.clients === 0 ? 'No client is' : api.clients === 1 ? '1 client is' : `${api.clients} clients are`} connected.` : 'The API does not listen.',
    walk: walk.on ? 'Shadow Walk is on.' : `Shadow Walk is off${walk.locked ? `, set by ${walk.locked}` : ''}.`,
    patch: patchShown(hud) ? `Shadow patch: ${patchedHosts(hud) || 'armed, from the next navigation'}.` : 'No shadow patch.',
    sealed: reading ? 'Sealed read.' : 'Quiet.',
    faults: hud.faults.length > 0 ? `${counted(hud.faults.length, 'problem')}. ${hud.faults[0]?.what ?? ''}` : 'No problem.',
  };
}

/** Tells what changed on the HUD, for a polite live region. The first look is no change. */
export class HudAnnouncer {
  #text = $state('');
  #before: Record<string, string> | undefined;

  get text(): string {
    return this.#text;
  }

  follow(sentences: Record<string, string>): void {
    const before = this.#before;
    this.#before = sentences;
    if (!before) return;
    const changed = Object.keys(sentences).filter((chip) => sentences[chip] !== before[chip]);
    if (changed.length > 0) this.#text = changed.map((chip) => sentences[chip]).join(' ');
  }
}
