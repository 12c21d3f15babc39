import { render } from '@testing-library/svelte';
import App from '../App.svelte';
import { FakeBackend } from '../lib/backend/fake';

/** Opens the panel at an address over a fake that prepare may change first. */
export function openPanel(hash: string, prepare: (backend: FakeBackend) => void = () => {}) {
  const backend = new FakeBackend();
  prepare(backend);
  location.hash = hash;
  return { backend, ...render(App, { props: { backend } }) };
}

/** Goes to another address, as a link does. */
export function goTo(hash: string): void {
  location.hash = hash;
  dispatchEvent(new HashChangeEvent('hashchange'));
}
