import { systemClock } from '@weir/clock';
import { ConfigError, createLogger } from '@weir/service-kit';
import { loadSettings } from '../settings.ts';
import { print } from '../output.ts';
import { migrateDatabase } from '@weir/installation/services';

export async function runMigrate(): Promise<void> {
  const { databaseUrl, logLevel } = loadSettings({});
  if (databaseUrl === '')
    throw new ConfigError('setting DATABASE_URL is not set: it names the database, as its owner; weir start migrates an embedded one');
  const logger = createLogger({ service: 'weir', level: logLevel });
  await migrateDatabase(databaseUrl, { clock: systemClock, logger });
  await print('the database is up to date, and each role has its privileges\n');
}
