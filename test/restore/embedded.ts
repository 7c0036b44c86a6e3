import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startUpstream } from '@weir/risk-client/testing';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { seededRandom } from '../support/stack/random.ts';
import { checkRestored, type Outcome } from './check.ts';
import { Load, type Point, type Told } from './load.ts';

const weir = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'weir.js');
/** No part of a backup, and in the data folder unless settings name other places. */
const outside = ['permit-key-secret', 'permit-journal', 'audit-key', 'audit-key.pub', 'audit-checkpoint', 'dev-credentials.json'];
const callers = 6;

/** An installation that has run under load, with backups, and is stopped. */
export interface Drill {
  /** In the order of time. */
  readonly points: readonly Point[];
  /** Restores into a new folder, reconciles and checks. Undefined: to the latest. */
  restore(point: Point | undefined): Promise<Outcome>;
  /** Kills Weir and PostgreSQL under load, and restores in place to the latest. Last, since it goes on in the same folder. */
  restoreAfterKill(): Promise<Outcome>;
  close(): Promise<void>;
}

/** Loads an embedded installation with `actions` transfers between two points, with the backup under load. */
export async function runEmbedded({ points: wanted, actions, seed }: { points: number; actions: number; seed: number }): Promise<Drill> {
  const top = mkdtempSync(join(tmpdir(), 'weir-restore-'));
  const backups = join(top, 'backups');
  const upstream = await startUpstream();
  const env = {
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_PER_SECOND: '50',
    WEIR_UPSTREAM_PER_DAY: '1000000',
    WEIR_UPSTREAM_POLL_MS: '100',
  };
  const own = await makeInstallation({ env: { ...env, WEIR_BACKUP_DIR: backups } });
  const close = async (): Promise<void> => {
    await own.remove();
    await upstream.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await own.start();
    const load = new Load(own, seededRandom(seed));
    const points: Point[] = [];
    await Promise.all([load.run(actions, callers), run(['backup', '--data-dir', own.dataDir], env)]);
    for (let n = 0; n < wanted; n += 1) {
      const running = load.run(actions, callers);
      // Within the load: callers wait for their answers at this moment.
      await Promise.race([running, delay(200 + n * 50)]);
      points.push(load.point());
      await running;
    }
    await load.run(actions, callers);
    await own.end();
    const told = load.told();
    const reconciled = async (restored: Installation, point: Point, all: Told): Promise<Outcome> => {
      const starting = restored.start();
      const closed = await untilClosed(restored, starting);
      await run(['reconcile', '--yes', '--json', '--data-dir', restored.dataDir], env);
      await starting;
      const outcome = await checkRestored(restored, point, all);
      await restored.end();
      const verified = await run(['audit', 'verify', '--data-dir', restored.dataDir], env).then(
        () => [],
        (error: { stderr?: string }) => [`the audit log does not verify: ${error.stderr}`],
      );
      return { ...outcome, violations: [...closed, ...outcome.violations, ...verified] };
    };
    const restore = async (point: Point | undefined): Promise<Outcome> => {
      const dataDir = mkdtempSync(join(top, 'restored-'));
      const to = point === undefined ? [] : ['--to', point.at.toISOString()];
      for (const name of outside) cpSync(join(own.dataDir, name), join(dataDir, name), { recursive: true });
      await run(['restore', '--data-dir', dataDir, '--from', backups, '--yes', ...to], env);
      const restored = await makeInstallation({ env, dataDir });
      try {
        return await reconciled(restored, point ?? { at: new Date(), told }, told);
      } finally {
        await restored.remove();
      }
    };
    const restoreAfterKill = async (): Promise<Outcome> => {
      await own.start();
      await load.runUntil(() => own.kill('both'), callers);
      const all = load.told();
      await run(['restore', '--data-dir', own.dataDir, '--yes'], env);
      return reconciled(own, { at: new Date(), told: all }, all);
    };
    return { points, restore, restoreAfterKill, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Before the reconciliation nothing but its reason is told. */
async function untilClosed(own: Installation, starting: Promise<void>): Promise<string[]> {
  let isOpen = false;
  void starting.then(
    () => (isOpen = true),
    () => (isOpen = true),
  );
  while (!isOpen) {
    const answer = await fetch(`${own.url}/v1/withdrawals/out-1`).then(
      async (found) => ({ status: found.status, body: (await found.json()) as { code?: unknown } }),
      () => undefined,
    );
    if (answer?.status === 503 && answer.body.code === 'NOT_RECONCILED') return [];
    await delay(50);
  }
  return ['it started before it was reconciled'];
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [weir, ...args],
      { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(Object.assign(new Error(`weir ${args[0]}: ${stderr}`), { stderr }));
      },
    );
  });
}
