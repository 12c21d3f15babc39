import type { IconName } from '../shared/icons';

/** The icons of the verbs that have one of their own; any other verb is a plain step. */
const verbIcons: Readonly<Record<string, IconName>> = {
  act: 'click', back: 'left', click: 'click', evaluate_javascript: 'script', extract: 'read', find: 'search', forward: 'right',
  navigate: 'go', observe: 'read', page_state: 'read', press_key: 'keys', reload: 'refresh', screenshot: 'camera', tabs: 'tab',
  type: 'keys', wait_for: 'clock',
};

/** The icon of a verb; tabs_create and its like have that of tabs. */
export function verbIcon(verb: string): IconName {
  return verbIcons[verb] ?? verbIcons[verb.split('_')[0] ?? ''] ?? 'none';
}
