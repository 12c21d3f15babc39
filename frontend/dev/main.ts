import { mount } from 'svelte';
import App from '../src/App.svelte';
import { FakeBackend } from '../src/lib/backend/fake';
import type { Theme } from '../src/lib/backend/contract';
import '../src/styles/panel.css';
import { scene } from './scenes';

const query = new URLSearchParams(location.search);
const backend = new FakeBackend();
backend.theme = (query.get('theme') as Theme | null) ?? 'sunlit';
scene(backend, query.get('scene') ?? 'story');

export default mount(App, { target: document.body, props: { backend } });
