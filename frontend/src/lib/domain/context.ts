import { createContext } from 'svelte';
import type { PanelState } from './state.svelte';
import type { WalkEditor } from './walk-editor.svelte';

/** What every view can reach without being handed it. */
export interface PanelContext {
  panel: PanelState;
  editor: WalkEditor;
}

export const [panelContext, setPanelContext] = createContext<PanelContext>();
