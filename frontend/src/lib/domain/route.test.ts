import { expect, it } from 'vitest';
import { ledgerHref, parseRoute, runHref, runsHref } from './route.svelte';

it.each([
  ['', { view: 'deck' }],
  ['#deck', { view: 'deck' }],
  ['#runs', { view: 'runs', page: 1, outcome: '', site: '' }],
  [runsHref(3, 'failed', 'a.example:81'), { view: 'runs', page: 3, outcome: 'failed', site: 'a.example:81' }],
  ['#runs?page=-2', { view: 'runs', page: 1, outcome: '', site: '' }],
  [runHref('01K/?'), { view: 'run', id: '01K/?' }],
  [ledgerHref(''), { view: 'ledger', before: '' }],
  [ledgerHref('01K'), { view: 'ledger', before: '01K' }],
  ['#settings', { view: 'shadow-walk', page: 'overview' }],
  ['#settings/shadow-walk/shadow-dom', { view: 'shadow-walk', page: 'shadow-dom' }],
  ['#settings/api', { view: 'api' }],
  ['#settings/nothing', undefined],
  ['#settings/shadow-walk/nothing', undefined],
  ['#main-content', undefined],
])('reads %j', (hash, route) => expect(parseRoute(hash)).toEqual(route));
