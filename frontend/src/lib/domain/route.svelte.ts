/** Where the panel is: the part of the address after the #. */
export type Route =
  | { view: 'deck' }
  | { view: 'runs'; page: number; outcome: string; site: string }
  | { view: 'run'; id: string }
  | { view: 'ledger'; before: string }
  | { view: 'shadow-walk'; page: WalkPage }
  | { view: 'browser' }
  | { view: 'api' }
  | { view: 'appearance' };

export type WalkPage = 'overview' | 'shadow-dom' | 'iframes' | 'clone-lab';

export const walkPages: readonly { page: WalkPage; title: string }[] = [
  { page: 'overview', title: 'Overview' },
  { page: 'shadow-dom', title: 'Shadow DOM' },
  { page: 'iframes', title: 'Iframes' },
  { page: 'clone-lab', title: 'Clone Lab' },
];

/** Reads an address, with or without its #. Unknown ones are undefined. */
export function parseRoute(hash: string): Route | undefined {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const query = new URLSearchParams(search);
  const [first, second, third] = path.split('/');
  switch (first) {
    case '':
    case 'deck':
      return { view: 'deck' };
    case 'runs':
      if (second) return { view: 'run', id: decodeURIComponent(second) };
      return {
        view: 'runs',
        page: Math.max(1, Math.floor(Number(query.get('page'))) || 1),
        outcome: query.get('outcome') ?? '',
        site: query.get('site') ?? '',
      };
    case 'ledger':
      return { view: 'ledger', before: query.get('before') ?? '' };
    case 'settings':
      return settingsRoute(second, third);
  }
  return undefined;
}

function settingsRoute(name: string | undefined, page: string | undefined): Route | undefined {
  switch (name) {
    case undefined:
      return { view: 'shadow-walk', page: 'overview' };
    case 'shadow-walk': {
      const found = walkPages.find((w) => w.page === (page ?? 'overview'));
      return found && { view: 'shadow-walk', page: found.page };
    }
    case 'browser':
    case 'api':
    case 'appearance':
      return { view: name };
  }
  return undefined;
}

/** The address of a page of runs. */
export function runsHref(page: number, outcome: string, site: string): string {
  const query = new URLSearchParams();
  if (page > 1) query.set('page', String(page));
  if (outcome) query.set('outcome', outcome);
  if (site) query.set('site', site);
  const search = query.toString();
  return `#runs${search ? `?${search}` : ''}`;
}

export const runHref = (id: string): string => `#runs/${encodeURIComponent(id)}`;

export const ledgerHref = (before: string): string => (before ? `#ledger?before=${encodeURIComponent(before)}` : '#ledger');

/** The current route, following the address. An address that names no view changes nothing. */
export class Router {
  #route = $state.raw<Route>({ view: 'deck' });

  get route(): Route {
    return this.#route;
  }

  /** Follows window's address until the returned function is called. moved is called after each change. */
  follow(moved: (from: Route, to: Route) => void): () => void {
    const read = () => parseRoute(location.hash);
    const onHash = () => {
      const to = read();
      if (!to) return;
      const from = this.#route;
      this.#route = to;
      moved(from, to);
    };
    this.#route = read() ?? { view: 'deck' };
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }
}
