import { BackendError, asBackendError, type Backend } from './backend';
import { changedEvent, wireNames, type BridgeError, type Changed, type Methods } from './contract';

// What the desktop shell (Wails 2.9) puts on window before the panel's script runs.
declare global {
  interface Window {
    go?: { panel?: { Panel?: Record<string, (...args: unknown[]) => Promise<unknown>> } };
    runtime?: {
      EventsOn(name: string, callback: (payload: Changed) => void): () => void;
      ClipboardSetText(text: string): Promise<boolean>;
    };
  }
}

/** How long an answer may take. The longest that a method allows itself is 10 s; after this nobody is there. */
const answerWithin = 15_000;

/** Methods that wait for the person, in a dialog of the desktop, and so may take as long as they do. */
const patient: ReadonlySet<keyof Methods> = new Set(['exportRun']);

/** The backend behind the desktop shell's bridge. It is the only place that knows window.go and window.runtime. */
export function wailsBackend(shell: Window = window): Backend {
  const call = (method: keyof Methods) => async (...args: unknown[]) => {
    const bound = shell.go?.panel?.Panel?.[wireNames[method]];
    if (!bound) throw noBridge();
    try {
      return await answered(bound(...args), patient.has(method));
    } catch (thrown) {
      throw parseError(thrown);
    }
  };
  const methods = Object.fromEntries(
    (Object.keys(wireNames) as (keyof Methods)[]).map((method) => [method, call(method)]),
  ) as unknown as Methods;
  return {
    ...methods,
    onChange(fn) {
      return shell.runtime?.EventsOn(changedEvent, (changed) => fn(changed.topic)) ?? (() => {});
    },
    async copy(text) {
      if (!(await shell.runtime?.ClipboardSetText(text))) throw noClipboard();
    },
  };
}

function answered<T>(answer: Promise<T>, patiently: boolean): Promise<T> {
  if (patiently) return answer;
  let timer: ReturnType<typeof setTimeout>;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noAnswer()), answerWithin);
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}

/** The bridge rejects with the text that FormatError in app/panel wrote: a BridgeError as JSON. */
function parseError(thrown: unknown): BackendError {
  const text = thrown instanceof Error ? thrown.message : thrown;
  if (typeof text === 'string' && text.startsWith('{')) {
    try {
      return new BackendError(JSON.parse(text) as BridgeError);
    } catch {
      // Not ours after all.
    }
  }
  return asBackendError(thrown);
}

const noAnswer = () =>
  new BackendError({
    code: 'NO_ANSWER', what: 'Kuang does not answer.', do: 'Ask again. If it stays silent, close this window and start Kuang again.',
    route: '', label: '',
  });

const noBridge = () =>
  new BackendError({
    code: 'NO_ANSWER', what: 'This page is not connected to Kuang.', do: 'Open the panel with the command kuang.', route: '', label: '',
  });

const noClipboard = () =>
  new BackendError({
    code: 'INTERNAL', what: 'The clipboard did not take it.', do: 'Select the text and copy it with the keyboard.', route: '', label: '',
  });
