import { defineConfig } from '@playwright/test';
import { chromium } from './e2e/chromium';

// The whole panel in a real browser against the real Kuang, whose address build/panel-test.sh gives. One Kuang serves
// all tests, so they run one after another.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  workers: 1,
  fullyParallel: false,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env['KUANG_PANEL_URL'] ?? 'http://127.0.0.1:5199/dev/',
    viewport: { width: 1280, height: 900 },
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: chromium(), args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] },
  },
});
