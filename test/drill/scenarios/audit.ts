import { mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { address } from '../address.ts';
import { minute, type Scenario } from '../scenario.ts';

export const unwritableCheckpoint: Scenario = {
  name: 'the file of the last checkpoint cannot be read or written',
  alerts: { WeirAuditNotSigned: 10 * minute },
  breakIt: async ({ installation: { dataDir } }) => {
    const file = join(dataDir, 'audit-checkpoint');
    renameSync(file, `${file}.kept`);
    mkdirSync(file);
    return async () => {
      rmdirSync(file);
      renameSync(`${file}.kept`, file);
    };
  },
};

export const forgedCheckpoint: Scenario = {
  name: 'somebody alters the stored checkpoint of the audit log',
  alerts: { WeirAuditCheckpointRefused: 1 * minute },
  breakIt: async ({ inDatabase }) => {
    const before = await inDatabase(async ({ pool }) => {
      const { rows } = await pool.query<{ note: string }>('SELECT note FROM audit.checkpoint');
      await pool.query(`UPDATE audit.checkpoint SET note = regexp_replace(note, '\\d+', '1')`);
      return rows[0]?.note;
    });
    return () => inDatabase(({ pool }) => pool.query('UPDATE audit.checkpoint SET note = $1', [before]));
  },
};

export const fullAnchor: Scenario = {
  name: 'the place outside that keeps checkpoints cannot be written',
  alerts: { WeirAuditNotAnchored: 60 * minute },
  isFromStart: true,
  breakIt:
    async ({ anchorFile }) =>
    async () =>
      rmSync(anchorFile),
};

export const awayArchive: Scenario = {
  name: 'the folder of the backups is away',
  alerts: { WeirWalArchiveFails: 16 * minute },
  breakIt: async ({ backupFolder, inDatabase }) => {
    const wal = join(backupFolder, 'wal');
    // PostgreSQL archives each segment that is done, and tries again a failed one then.
    const nextSegment = () => inDatabase(({ pool }) => pool.query('SELECT pg_switch_wal()'));
    renameSync(wal, `${wal}.away`);
    await nextSegment();
    return async () => {
      renameSync(`${wal}.away`, wal);
      await nextSegment();
    };
  },
};

export const lockedAuditLog: Scenario = {
  name: 'a session holds the audit log locked while a thousand deposits come',
  alerts: { WeirConsumerLag: 5 * minute },
  breakIt: async ({ lock, deposit }) => {
    const unlock = await lock('audit.tree');
    // Of one payer, which costs one call of the risk API.
    await deposit(1_001, address('7', 1));
    return unlock;
  },
};
