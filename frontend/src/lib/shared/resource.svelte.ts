import { asBackendError, type BackendError } from '../backend/backend';
import { clock } from './clock.svelte';

/** How long an answer may be out before what is shown is called stale, in milliseconds. */
const patience = 3000;

/** How long after a question that nobody answered it is asked again by itself, in milliseconds. */
const retryAfter = 5000;

/**
 * Something the backend knows, as it was last told. The value stays while a newer one is asked for, and when asking
 * fails; stale says that it was not confirmed. Only one question is out at a time: what changes meanwhile is asked
 * for once more afterwards.
 */
export class Resource<T> {
  readonly #ask: () => Promise<T>;
  #value = $state.raw<T>();
  #error = $state.raw<BackendError>();
  #confirmed = $state<number>();
  #asked = $state<number>();
  #watchers = 0;
  #outdated = true;
  #again = false;
  #generation = 0;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** The last known value; undefined before the first answer. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Why the last question failed; undefined when it was answered. */
  get error(): BackendError | undefined {
    return this.#error;
  }

  /** When the value was true, in milliseconds since 1970. */
  get confirmed(): number | undefined {
    return this.#confirmed;
  }

  /** When the question that is out was asked. */
  get asked(): number | undefined {
    return this.#asked;
  }

  /** Whether there is a value that could not be confirmed when it should have been. */
  get stale(): boolean {
    if (this.#value === undefined) return false;
    return this.#error !== undefined || (this.#asked !== undefined && clock.now - this.#asked > patience);
  }

  /** Keeps the value current until the returned function is called. */
  watch(): () => void {
    this.#watchers++;
    if (this.#outdated) void this.refresh();
    return () => {
      this.#watchers--;
    };
  }

  /** Says that the backend has something newer. It is fetched now, or when somebody looks. */
  changed(): void {
    this.#outdated = true;
    if (this.#watchers > 0) void this.refresh();
  }

  /** Takes a value that came with the answer to something else. An answer that is still out is older, so it is dropped. */
  set(value: T): void {
    this.#generation++;
    this.#again = this.#asked !== undefined;
    this.#take(value);
  }

  async refresh(): Promise<void> {
    if (this.#asked !== undefined) {
      this.#again = true;
      return;
    }
    this.#asked = Date.now();
    do {
      this.#again = false;
      this.#outdated = false;
      const generation = this.#generation;
      try {
        const value = await this.#ask();
        if (generation === this.#generation) this.#take(value);
      } catch (thrown) {
        if (generation === this.#generation) {
          this.#outdated = true;
          this.#error = asBackendError(thrown);
          if (this.#error.code === 'NO_ANSWER') setTimeout(() => this.changed(), retryAfter);
        }
      }
    } while (this.#again);
    this.#asked = undefined;
  }

  #take(value: T): void {
    this.#value = value;
    this.#error = undefined;
    this.#confirmed = Date.now();
  }
}
