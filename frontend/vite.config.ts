import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  build: {
    target: ['es2022', 'safari17', 'chrome120'], // WebKitGTK 2.42 and newer, WebView2, WKWebView
    emptyOutDir: true, // public/ brings the committed placeholder back
    modulePreload: { polyfill: false }, // one bundle, and no inline script
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  server: { host: '127.0.0.1', strictPort: true },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/test/setup.ts'],
    testTimeout: 20_000,
    restoreMocks: true,
  },
});
