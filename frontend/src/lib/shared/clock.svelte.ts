import { createSubscriber } from 'svelte/reactivity';

/** The time, to the second. It ticks only while something on the screen reads it. */
class Clock {
  readonly #subscribe = createSubscriber((tick) => {
    const id = setInterval(tick, 1000);
    return () => clearInterval(id);
  });

  /** Milliseconds since 1970. */
  get now(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
