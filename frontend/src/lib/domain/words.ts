import type { IconName } from '../shared/icons';

/** What a door is called: http is HTTP. */
export function surfaceName(surface: string): string {
  return surface === 'panel' ? 'Panel' : surface.toUpperCase();
}

/** What an outcome is called, and how it looks. */
export function outcomeLook(outcome: string): { word: string; icon: IconName; class: string } {
  switch (outcome) {
    case 'ok':
      return { word: 'OK', icon: 'check', class: 'out-done' };
    case 'refused':
      return { word: 'Refused', icon: 'refused', class: '' };
    default:
      return { word: 'Failed', icon: 'alert', class: 'out-failed' };
  }
}

/** What a verb claims to have seen, in words. */
export function verdictWord(verdict: string): string {
  switch (verdict) {
    case 'effect':
      return 'Effect';
    case 'navigated':
      return 'Navigated';
    case 'no_effect':
      return 'No effect seen';
    default:
      return verdict ? verdict.replaceAll('_', ' ') : 'Done';
  }
}

/** How the browser is driven, in words that follow "running". */
export function transportWords(transport: string): string {
  switch (transport) {
    case 'pipe':
      return 'over the pipe';
    case 'port':
      return 'over a loopback port';
    case 'attach':
      return 'attached';
  }
  return transport;
}
