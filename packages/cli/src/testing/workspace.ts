import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { type Ended, makeFolder, weir } from './weir.ts';

/** A folder and an empty database of its own for one test file. */
export interface Workspace {
  readonly database: TestDatabase;
  /** The path of a file in the folder. */
  path(name: string): string;
  /** Returns the name. */
  write(name: string, text: string): string;
  /** Runs the real command in the folder, on the database. */
  run(...args: readonly string[]): Promise<Ended>;
  remove(): Promise<void>;
}

export async function openWorkspace(): Promise<Workspace> {
  const folder = makeFolder();
  const database = await createTestDatabase();
  const path = (name: string): string => join(folder.path, name);
  return {
    database,
    path,
    write: (name, text) => {
      writeFileSync(path(name), text);
      return name;
    },
    run: (...args) => weir(args, { env: { DATABASE_URL: database.url }, cwd: folder.path }),
    remove: async () => {
      await database.drop();
      folder.remove();
    },
  };
}
