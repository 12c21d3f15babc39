import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The browser that Kuang itself would drive: KUANG_BROWSER, or the first that is found. None is ever downloaded. */
export function chromium(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'brave-browser'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = [process.env['KUANG_BROWSER'] ?? '', ...names.flatMap((n) => folders.map((f) => join(f, n)))];
  const found = candidates.filter((c) => c !== '').find(executable);
  if (!found) throw new Error(`no browser found; tried ${names.join(', ')} on PATH, and KUANG_BROWSER`);
  return found;
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
