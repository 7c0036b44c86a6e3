import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRunning } from '../chaos/embedded.ts';
import { runWeir } from '../restore/drill.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { writeChainData } from './chain-data.ts';
import { type Outcome, settings, underLoad } from './phases.ts';
import type { LoadOptions, Role } from './load.ts';
import { today, type Version } from './versions.ts';

/** An embedded installation is one process, so N stops before N+1 starts on its data folder. */
export async function upgradeEmbedded(before: Version, options: LoadOptions): Promise<Outcome> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-upgrade-'));
  const env = { ...settings, WEIR_LOG_LEVEL: 'warn' };
  const flags = ['--data-dir', dataDir];
  let running: Installation | undefined;
  const run = async ({ root }: Version): Promise<Installation> => {
    running = await makeInstallation({ env, dataDir, root });
    await running.start();
    return running;
  };
  try {
    const first = await run(before);
    for (const args of writeChainData(dataDir)) await runWeir([...args, ...flags], env, before.root);
    const approver = await first.addPerson('approver', 'Ben');
    const place = {
      urls: () => [running?.url ?? ''],
      token: (role: Role) => (role === 'approver' ? approver : first.token(role)),
    };
    const checked = { open: () => openRunning({ dataDir }), auditDir: dataDir, flags, env };
    return await underLoad(place, options, checked, [before, today], async ({ phase, during }) => {
      await phase('N');
      for (const version of [today, before]) {
        await during(`to ${version.name}`, async () => {
          await running?.end();
          await run(version);
        });
        await phase(version.name);
      }
    });
  } finally {
    // Removes the data folder, too.
    await running?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
