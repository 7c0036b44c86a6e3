import { systemClock } from '@weir/clock';
import { type EventLog, openPostgresLog } from '@weir/event-log';
import { connectToRunning, openPool, openSession } from '@weir/postgres';

/** The log of a running installation on the embedded tier. */
export async function openEmbeddedLog(dataDir: string): Promise<Pick<EventLog, 'publish' | 'close'>> {
  const url = connectToRunning(dataDir) ?? '';
  const pool = openPool({ url, max: 1 });
  const session = await openSession({ url, applicationName: 'test', clock: systemClock });
  const log = openPostgresLog({ pool, session, clock: systemClock });
  const close = async (): Promise<void> => {
    await log.close();
    await session.close();
    await pool.end();
  };
  return { publish: (records) => log.publish(records), close };
}
