import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from './check.ts';
import type { Point } from './load.ts';

export interface DrillOptions {
  /** Points in time to restore to, beside the latest. */
  readonly points: number;
  /** Transfers between two points. */
  readonly actions: number;
  readonly seed: number;
}

/** An installation that has run under load, with a backup meanwhile, and is stopped. */
export interface Drill {
  /** In the order of time. */
  readonly points: readonly Point[];
  /** Restores into a new folder, reconciles and checks. Undefined: to the latest. */
  restore(point: Point | undefined): Promise<Outcome>;
  /** Kills everything under load, and restores in place to the latest. Last, since it goes on in the same folder. */
  restoreAfterKill(): Promise<Outcome>;
  close(): Promise<void>;
}

export function upstreamSettings({ url, apiKey }: { url: string; apiKey: string }): NodeJS.ProcessEnv {
  return {
    WEIR_UPSTREAM_URL: url,
    WEIR_UPSTREAM_API_KEY: apiKey,
    WEIR_UPSTREAM_PER_SECOND: '50',
    WEIR_UPSTREAM_PER_DAY: '1000000',
    WEIR_UPSTREAM_POLL_MS: '100',
  };
}

/** Before the reconciliation nothing but its reason is told. `url`: of a gate that starts. */
export async function untilClosed(url: string, starting: Promise<void>): Promise<string[]> {
  let isOpen = false;
  void starting.then(
    () => (isOpen = true),
    () => (isOpen = true),
  );
  while (!isOpen) {
    const answer = await fetch(`${url}/v1/withdrawals/out-1`).then(
      async (found) => ({ status: found.status, body: (await found.json()) as { code?: unknown } }),
      () => undefined,
    );
    if (answer?.status === 503 && answer.body.code === 'NOT_RECONCILED') return [];
    await delay(50);
  }
  return ['it started before it was reconciled'];
}

export function verifyAudit(flags: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  return runWeir(['audit', 'verify', ...flags], env).then(
    () => [],
    (error: { stderr?: string }) => [`the audit log does not verify: ${error.stderr}`],
  );
}

const today = join(import.meta.dirname, '..', '..');

/** Resolves with its stdout; an exit code other than 0 rejects. `root`: the checkout to run. */
export function runWeir(args: readonly string[], env: NodeJS.ProcessEnv, root = today): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(root, 'packages', 'cli', 'bin', 'weir.js'), ...args],
      { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(Object.assign(new Error(`weir ${args[0]}: ${stdout.slice(-2_000)}${stderr}`), { stderr }));
      },
    );
  });
}
