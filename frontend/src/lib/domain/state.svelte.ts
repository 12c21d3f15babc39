import type { Backend } from '../backend/backend';
import type { APIFacts, Appearance, BrowserFacts, Deck, Entry, Hud, LedgerPage, Overview, RunLog, RunsPage, ShadowWalk, Topic } from '../backend/contract';
import { Resource } from '../shared/resource.svelte';

/** How many pages of one kind are remembered; the one that was looked at longest ago is forgotten first. */
const remembered = 20;

/** Everything that the views show, as last told. A topic that changes is asked for again where somebody looks. */
export class PanelState {
  readonly hud: Resource<Hud>;
  readonly walk: Resource<ShadowWalk>;
  readonly overview: Resource<Overview>;
  readonly deck: Resource<Deck>;
  readonly browser: Resource<BrowserFacts>;
  readonly api: Resource<APIFacts>;
  readonly appearance: Resource<Appearance>;
  readonly #runs = new Pages<RunsPage>();
  readonly #run = new Pages<RunLog>();
  readonly #calls = new Pages<Entry>();
  readonly #ledger = new Pages<LedgerPage>();
  readonly #topics: Record<Topic, { changed(): void }>;

  constructor(readonly backend: Backend) {
    this.hud = new Resource(() => backend.hud());
    this.walk = new Resource(() => backend.shadowWalk());
    this.overview = new Resource(() => backend.overview());
    this.deck = new Resource(() => backend.deck());
    this.browser = new Resource(() => backend.browser());
    this.api = new Resource(() => backend.api());
    this.appearance = new Resource(() => backend.appearance());
    this.#topics = {
      hud: this.hud, 'shadow-walk': this.walk, overview: this.overview, deck: this.deck, browser: this.browser, api: this.api,
      runs: { changed: () => [this.#runs, this.#run].forEach((pages) => pages.changed()) },
      ledger: this.#ledger,
    };
  }

  /** Listens for changes until the returned function is called. */
  start(): () => void {
    return this.backend.onChange((topic) => this.#topics[topic]?.changed());
  }

  runs(page: number, outcome: string, site: string): Resource<RunsPage> {
    return this.#runs.at(JSON.stringify([page, outcome, site]), () => this.backend.runs(page, outcome, site));
  }

  run(id: string): Resource<RunLog> {
    return this.#run.at(id, () => this.backend.run(id));
  }

  /** One call of a run, whole. What a call was does not change, so no topic tells of it. */
  call(run: string, id: string): Resource<Entry> {
    return this.#calls.at(id, () => this.backend.call(run, id));
  }

  ledger(before: string): Resource<LedgerPage> {
    return this.#ledger.at(before, () => this.backend.ledger(before));
  }
}

/** Pages of one kind by their key, the latest used last. */
class Pages<T> {
  readonly #pages = new Map<string, Resource<T>>();

  at(key: string, ask: () => Promise<T>): Resource<T> {
    const page = this.#pages.get(key) ?? new Resource(ask);
    this.#pages.delete(key);
    this.#pages.set(key, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= remembered) break;
      this.#pages.delete(oldest);
    }
    return page;
  }

  changed(): void {
    for (const page of this.#pages.values()) page.changed();
  }
}
