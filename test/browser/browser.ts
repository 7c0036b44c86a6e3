import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { installPackage } from '../support/stack/native.ts';

/** Chromium without a window takes a fifth of the processor time that the whole one takes for a new page. */
const shell = 'chromium-headless-shell';
const whole = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // They ask hosts outside, which a test must not.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium of this machine (`WEIR_TEST_CHROMIUM`), or of Debian, which root installs if needed. `isWhole`: as a reader has it. */
export async function startBrowser({ isWhole = false } = {}): Promise<Browser> {
  const programs = isWhole ? whole : [`/usr/bin/${shell}`, ...whole];
  const find = (): string | undefined => programs.find((path) => existsSync(path));
  const given = process.env['WEIR_TEST_CHROMIUM'] ?? '';
  if (given === '' && find() === undefined && process.getuid?.() === 0) await installPackage(isWhole ? 'chromium' : shell);
  const executablePath = given === '' ? find() : given;
  if (executablePath === undefined) throw new Error('there is no Chromium: install it, or name it in WEIR_TEST_CHROMIUM');
  return chromium.launch({ executablePath, args });
}
