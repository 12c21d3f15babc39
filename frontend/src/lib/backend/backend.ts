import type { BridgeError, ErrorCode, Methods, Topic } from './contract';

/** Everything the panel can ask of Kuang, and how it hears of changes. */
export interface Backend extends Methods {
  /** Calls fn with the topic of each change, until the returned function is called. */
  onChange(fn: (topic: Topic) => void): () => void;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
}

/** A failure of the backend, or of reaching it: what happened, what to do, and the way there. */
export class BackendError extends Error implements BridgeError {
  readonly code: ErrorCode;
  readonly what: string;
  readonly do: string;
  readonly route: string;
  readonly label: string;

  constructor(e: BridgeError, options?: ErrorOptions) {
    super(e.what, options);
    this.name = 'BackendError';
    this.code = e.code;
    this.what = e.what;
    this.do = e.do;
    this.route = e.route;
    this.label = e.label;
  }
}

/** Turns whatever was thrown into a BackendError; a bug in the panel's own script becomes INTERNAL. */
export function asBackendError(thrown: unknown): BackendError {
  if (thrown instanceof BackendError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new BackendError(
    { code: 'INTERNAL', what: `That did not work: ${reason}`, do: 'Try again. If it stays, start Kuang again.', route: '', label: '' },
    { cause: thrown },
  );
}
