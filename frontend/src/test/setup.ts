import { configure } from '@testing-library/svelte';
import { afterEach } from 'vitest';

// A busy machine may be slow to render; what does not come at all still fails. The page is not printed: it begins
// with a screen of icons.
configure({ asyncUtilTimeout: 10_000, getElementError: (message) => new Error(message ?? 'not found') });

afterEach(() => {
  location.hash = '';
  localStorage.clear();
});
