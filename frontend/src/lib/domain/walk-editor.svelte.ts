import { SvelteMap } from 'svelte/reactivity';
import type { BackendError } from '../backend/backend';
import type { LeverState, ShadowWalk } from '../backend/contract';
import { Task } from '../shared/task.svelte';
import type { PanelState } from './state.svelte';

/** The wish for one lever, while it is being saved and when that failed. */
class Wish {
  readonly task = new Task();
  value = $state<boolean | number>();
  /** What was asked for while the one before was being saved. Only the latest counts. */
  next: (() => Promise<ShadowWalk>) | undefined;
}

/** Changes the Shadow Walk policy. Every change saves at once; until it is saved the lever shows what was asked for. */
export class WalkEditor {
  readonly #state: PanelState;
  readonly #wishes = new SvelteMap<string, Wish>();
  readonly #reset = new Task();

  constructor(state: PanelState) {
    this.#state = state;
  }

  /** Seconds that the oldest save takes, or undefined when none is out. */
  get saving(): number | undefined {
    const busy = [...this.#wishes.values()].map((w) => w.task).concat(this.#reset).filter((t) => t.busy);
    return busy.length > 0 ? Math.max(...busy.map((t) => t.seconds)) : undefined;
  }

  get resetting(): Task {
    return this.#reset;
  }

  /** Whether a switch is shown as on. */
  on(lever: LeverState): boolean {
    const wish = this.#wishes.get(lever.key);
    return wish?.task.busy ? wish.value === true : lever.on;
  }

  /** The number that is shown. */
  number(lever: LeverState): number {
    const wish = this.#wishes.get(lever.key);
    return wish?.task.busy && typeof wish.value === 'number' ? wish.value : lever.number;
  }

  busy(key: string): boolean {
    return this.#wishes.get(key)?.task.busy ?? false;
  }

  /** Why the last change of a lever was not saved. */
  error(key: string): BackendError | undefined {
    return this.#wishes.get(key)?.task.error;
  }

  /** Resolves to whether it was saved; a wish that comes while another is being saved waits for its turn. */
  setSwitch(key: string, on: boolean): Promise<boolean> {
    return this.#change(key, on, () => this.#state.backend.setSwitch(key, on));
  }

  setNumber(key: string, value: number): Promise<boolean> {
    return this.#change(key, value, () => this.#state.backend.setNumber(key, value));
  }

  arm(key: string, word: string): Promise<boolean> {
    return this.#change(key, true, () => this.#state.backend.arm(key, word));
  }

  async reset(): Promise<boolean> {
    const walk = await this.#reset.run(() => this.#state.backend.resetShadowWalk());
    if (walk) this.#take(walk);
    return walk !== undefined;
  }

  async #change(key: string, value: boolean | number, work: () => Promise<ShadowWalk>): Promise<boolean> {
    let wish = this.#wishes.get(key);
    if (!wish) {
      wish = new Wish();
      this.#wishes.set(key, wish);
    }
    wish.value = value;
    wish.next = work;
    if (wish.task.busy) return true;
    const walk = await wish.task.run(async () => {
      let saved: ShadowWalk | undefined;
      while (wish.next) {
        const save = wish.next;
        wish.next = undefined;
        saved = await save();
      }
      if (saved) this.#take(saved);
      return saved;
    });
    return walk !== undefined;
  }

  #take(walk: ShadowWalk): void {
    this.#state.walk.set(walk);
    this.#state.hud.changed();
  }
}

/** What is wrong with a number as typed, or undefined when it can be saved. */
export function numberProblem(typed: string, lever: LeverState, held: number): string | undefined {
  const n = Number(typed);
  if (/^\d+$/.test(typed.trim()) && n >= lever.min && n <= lever.max) return undefined;
  return `${lever.min} to ${lever.max}. Still ${held}.`;
}
