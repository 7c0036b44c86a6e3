import { expect, vi } from 'vitest';

/** vitest's default of one second would fail tests on a busy machine; only a condition that never holds takes this long. */
const waitLimitMs = 120_000;

type Options = number | { timeout?: number; interval?: number } | undefined;
const patient = (options: Options): { timeout: number; interval?: number } => {
  const { timeout = 0, ...rest } = typeof options === 'number' ? { timeout: options } : (options ?? {});
  return { ...rest, timeout: Math.max(timeout, waitLimitMs) };
};

const { waitFor, waitUntil } = vi;
const { poll } = expect;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
expect.poll = (callback, options) => poll(callback, { ...options, ...patient(options) });
