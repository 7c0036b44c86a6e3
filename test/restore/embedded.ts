import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectToRunning, type Pool } from '@weir/postgres';
import { startUpstream } from '@weir/risk-client/testing';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { seededRandom } from '../support/stack/random.ts';
import { checkRestored, count, type Outcome } from './check.ts';
import { type Drill, type DrillOptions, runWeir, untilClosed, upstreamSettings, verifyAudit } from './drill.ts';
import { Load, type Place, type Point, type Told } from './load.ts';

/** No part of a backup, and in the data folder unless settings name other places. */
const outside = ['permit-key-secret', 'permit-journal', 'audit-key', 'audit-key.pub', 'audit-checkpoint', 'dev-credentials.json'];
const callers = 6;

/** Loads an embedded installation with `actions` transfers between two points, with the backup under load. */
export async function runEmbedded({ points: wanted, actions, seed }: DrillOptions): Promise<Drill> {
  const top = mkdtempSync(join(tmpdir(), 'weir-restore-'));
  const backups = join(top, 'backups');
  const upstream = await startUpstream();
  const env = upstreamSettings(upstream);
  const own = await makeInstallation({ env: { ...env, WEIR_BACKUP_DIR: backups } });
  const close = async (): Promise<void> => {
    await own.remove();
    await upstream.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await own.start();
    const load = new Load(placeOf(own), seededRandom(seed));
    const points: Point[] = [];
    await Promise.all([load.run(actions, callers), runWeir(['backup', '--data-dir', own.dataDir], env)]);
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
      const closed = await untilClosed(restored.url, starting);
      await runWeir(['reconcile', '--yes', '--json', '--data-dir', restored.dataDir], env);
      await starting;
      const outcome = await checkRestored(
        {
          place: placeOf(restored),
          databaseUrl: connectToRunning(restored.dataDir) ?? '',
          urls: [restored.url],
          doubledEvents,
        },
        point,
        all,
      );
      await restored.end();
      const verified = await verifyAudit(['--data-dir', restored.dataDir], env);
      return { ...outcome, violations: [...closed, ...outcome.violations, ...verified] };
    };
    const restore = async (point: Point | undefined): Promise<Outcome> => {
      const dataDir = mkdtempSync(join(top, 'restored-'));
      const to = point === undefined ? [] : ['--to', point.at.toISOString()];
      for (const name of outside) cpSync(join(own.dataDir, name), join(dataDir, name), { recursive: true });
      await runWeir(['restore', '--data-dir', dataDir, '--from', backups, '--yes', ...to], env);
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
      await runWeir(['restore', '--data-dir', own.dataDir, '--yes'], env);
      return reconciled(own, { at: new Date(), told: all }, all);
    };
    return { points, restore, restoreAfterKill, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function placeOf(own: Installation): Place {
  return { urlOf: () => own.url, token: (role) => own.token(role) };
}

async function doubledEvents(pool: Pool): Promise<readonly string[]> {
  const twice = await count(
    pool,
    `SELECT count(*)::int AS n FROM (SELECT FROM log.records r JOIN log.topics t ON t.id = r.topic GROUP BY t.name, r.headers ->> 'ce_id' HAVING count(*) > 1) d`,
  );
  return twice > 0 ? [`${twice} events twice in the log`] : [];
}
