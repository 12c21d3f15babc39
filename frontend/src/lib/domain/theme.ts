import type { Theme } from '../backend/contract';

export const themes: readonly { theme: Theme; title: string }[] = [
  { theme: 'system', title: 'System' },
  { theme: 'sunlit', title: 'Sunlit' },
  { theme: 'midnight', title: 'Midnight' },
  { theme: 'neon', title: 'Neon' },
  { theme: 'terminal', title: 'Terminal' },
];

/** Where public/theme.js finds the theme of last time. */
const key = 'kuang-theme';

/** Paints the page in a theme. System follows the desktop for as long as it is the theme. */
export class Painter {
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  #theme: Theme = 'sunlit';

  constructor() {
    this.#dark.addEventListener('change', () => this.#paint());
  }

  paint(theme: Theme): void {
    this.#theme = theme;
    try {
      localStorage.setItem(key, theme);
    } catch {
      // A shell without storage asks again at the next start.
    }
    this.#paint();
  }

  #paint(): void {
    const system = this.#dark.matches ? 'midnight' : 'sunlit';
    document.documentElement.dataset.theme = this.#theme === 'system' ? system : this.#theme;
  }
}
