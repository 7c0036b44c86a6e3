import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { javaFlags } from './kafka.ts';
import { fetchParcel, type MavenParcel } from './maven.ts';
import { freePort } from './ports.ts';
import { supervise } from './supervisor.ts';

export interface TestRegistry {
  readonly url: string;
  /** SIGKILL; all schemas are lost. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const version = '2.6.13.Final';
const parcel: MavenParcel = { name: 'apicurio', version, archive: `io.apicurio:apicurio-registry-app:${version}:tar.gz:all` };

/** Starts Apicurio Registry in about three seconds. It serves Confluent's API. */
export async function startRegistry(): Promise<TestRegistry> {
  const home = await fetchParcel(parcel);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'weir-registry-'));
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const jar = join(home, `apicurio-registry-app-${version}-runner.jar`);
  const server = supervise({
    name: 'the schema registry',
    folder,
    program: 'java',
    args: [...javaFlags, '-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`, '-jar', jar],
    ready: () =>
      fetch(`${url}/subjects`, { signal: AbortSignal.timeout(2_000) }).then(
        (answer) => answer.ok,
        () => false,
      ),
  });
  await server.start();
  return { url, kill: () => server.kill(), restart: () => server.start(), stop: () => server.remove() };
}
