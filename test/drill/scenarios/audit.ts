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

const lostTopic = 'screenings.decided';

export const deletedRecords: Scenario = {
  name: 'somebody deletes records of the log that the audit log has yet to read',
  alerts: { WeirLogGap: 5 * minute },
  breakIt: async ({ lock, deposit, inDatabase, until, weir }) => {
    const unlock = await lock('audit.tree');
    await deposit(1_001, address('6', 1));
    const unread = `SELECT FROM log.groups g JOIN log.assignments a ON a.group_id = g.id JOIN log.topics t ON t.id = a.topic
      JOIN log.partitions p ON p.topic = a.topic AND p.partition = a.partition WHERE t.name = '${lostTopic}'`;
    await until('the backlog', `${unread} AND g.name = 'audit-writer' HAVING sum(p.next_offset - a.committed) >= 1000`);
    await until('the other groups', `${unread} AND g.name <> 'audit-writer' HAVING sum(p.next_offset - a.committed) < 100`);
    // What other groups have read.
    await inDatabase(({ pool }) =>
      pool.query(
        `WITH moved AS (
           UPDATE log.partitions p SET first_offset = r.read FROM (
             SELECT a.topic, a.partition, min(a.committed) AS read FROM log.assignments a
             JOIN log.groups g ON g.id = a.group_id JOIN log.topics t ON t.id = a.topic
             WHERE t.name = $1 AND g.name <> 'audit-writer' GROUP BY 1, 2) r
           WHERE p.topic = r.topic AND p.partition = r.partition RETURNING p.topic, p.partition, p.first_offset)
         DELETE FROM log.records r USING moved m WHERE r.topic = m.topic AND r.partition = m.partition AND r.record_offset < m.first_offset`,
        [lostTopic],
      ),
    );
    await unlock();
    return async () => {
      const named = ['audit-writer', '--topic', lostTopic, '--yes'];
      for (const args of [
        ['rebuild', ...named],
        ['resume', ...named, '--from', 'earliest'],
      ]) {
        const { code, said } = await weir(['topics', ...args]);
        if (code !== 0) throw new Error(`weir topics ${args.join(' ')} ended with ${code}: ${said}`);
      }
    };
  },
};
