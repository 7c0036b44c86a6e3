import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface MavenParcel {
  readonly name: string;
  readonly version: string;
  /** `group:artifact:version` of jars with their dependencies. */
  readonly jars?: readonly string[];
  /** `group:artifact:version:packaging:classifier` of an archive to unpack. */
  readonly archive?: string;
}

/** Kafka takes 5 s; the limit allows for a slow network. */
const fetchLimitMs = 600_000;

/** Downloads into the user's cache with `mvn` the first time. An error names the missing part. */
export async function fetchParcel(parcel: MavenParcel): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weir');
  const folder = join(cache, `${parcel.name}-${parcel.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // Build aside and rename: a kill leaves no partial folder, and concurrent downloads do not collide.
  const aside = mkdtempSync(join(cache, `${parcel.name}-`));
  try {
    writeFileSync(join(aside, 'pom.xml'), pomOf(parcel.jars ?? []));
    await run('mvn', ['-q', '-B', ...goalOf(parcel, aside)], { cwd: aside, timeout: fetchLimitMs });
    if (!existsSync(folder)) renameSync(aside, folder);
    return folder;
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'mvn is not installed' : firstLine(error);
    throw new Error(`${parcel.name} ${parcel.version} could not be had from Maven Central: ${why}`, { cause: error });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function goalOf({ archive }: MavenParcel, folder: string): string[] {
  if (archive === undefined) return ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
  return ['dependency:unpack', `-Dartifact=${archive}`, `-DoutputDirectory=${folder}`];
}

function pomOf(jars: readonly string[]): string {
  const dependencies = jars.map((jar) => {
    const [group, artifact, version] = jar.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>weir.test</groupId><artifactId>parcel</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependencies.join('')}</dependencies></project>\n`;
}

function firstLine(error: unknown): string {
  const { stdout = '', message } = error as { stdout?: string; message: string };
  return stdout.split('\n').find((line) => line.includes('ERROR')) ?? message.split('\n')[0] ?? 'failed';
}
