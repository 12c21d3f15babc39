import { asBackendError, type BackendError } from '../backend/backend';
import { clock } from './clock.svelte';

/** Something a person set going: whether it runs, for how long, and why it did not work the last time. */
export class Task {
  #began = $state<number>();
  #error = $state.raw<BackendError>();

  get busy(): boolean {
    return this.#began !== undefined;
  }

  /** Whole seconds that it has run. */
  get seconds(): number {
    return this.#began === undefined ? 0 : Math.max(0, Math.floor((clock.now - this.#began) / 1000));
  }

  get error(): BackendError | undefined {
    return this.#error;
  }

  /** Runs work unless it runs already, and returns what it gave, or undefined when it failed. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.busy) return undefined;
    this.#began = Date.now();
    this.#error = undefined;
    try {
      return await work();
    } catch (thrown) {
      this.#error = asBackendError(thrown);
      return undefined;
    } finally {
      this.#began = undefined;
    }
  }

  /** Forgets the last failure. */
  clear(): void {
    this.#error = undefined;
  }
}
