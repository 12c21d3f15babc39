import { mount } from 'svelte';
import App from './App.svelte';
import { wailsBackend } from './lib/backend/wails';
import './styles/panel.css';

export default mount(App, { target: document.body, props: { backend: wailsBackend() } });
