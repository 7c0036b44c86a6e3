import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** URLs of the Weir on a data folder, for other commands. */
export interface Running {
  readonly pid: number;
  readonly url: string;
  readonly riskUrl: string;
}

interface File {
  readonly pid: number;
  readonly url: string;
  readonly risk_url: string;
}

const fileOf = (dataDir: string): string => join(dataDir, 'running.json');

/** Writes the URLs to the data folder. Returns a function that removes them. */
export function announce(dataDir: string, url: string, riskUrl: string): () => void {
  const file = fileOf(dataDir);
  const content: File = { pid: process.pid, url, risk_url: riskUrl };
  writeFileSync(`${file}.new`, `${JSON.stringify(content)}\n`);
  renameSync(`${file}.new`, file);
  return () => rmSync(file, { force: true });
}

/** Undefined when none runs. A killed one leaves its file, so its process is checked. */
export function findRunning(dataDir: string): Running | undefined {
  try {
    const { pid, url, risk_url } = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as File;
    return isAlive(pid) ? { pid, url, riskUrl: risk_url } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
