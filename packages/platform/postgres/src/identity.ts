import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { PostgresError } from './errors.ts';

/** The user for PostgreSQL's programs. PostgreSQL refuses to run as root, so root drops to another user. */
export interface Identity {
  /** The required owner of the data; undefined if it is the current user. */
  readonly owner?: { uid: number; gid: number };
  command(program: string, args: readonly string[]): { program: string; args: string[]; uid?: number; gid?: number };
}

export function chooseIdentity(paths: readonly string[]): Identity {
  if (process.getuid?.() !== 0) return { command: (program, args) => ({ program, args: [...args] }) };
  const owner = unprivilegedUser();
  if (paths.every(openToAll)) {
    return { owner, command: (program, args) => ({ program, args: [...args], ...owner }) };
  }
  // The other user cannot enter a folder such as /root/weir, so it keeps the one capability for traversal.
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) {
    throw new PostgresError(
      'DATA_FOLDER_UNUSABLE',
      `PostgreSQL cannot run as root, and another user cannot enter ${paths.find((path) => !openToAll(path))}; use a folder open to others, or run as an ordinary user`,
    );
  }
  const capability = '+dac_override';
  const prefix = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    `--inh-caps=${capability}`,
    `--ambient-caps=${capability}`,
    // Without it, access(2), which PostgreSQL uses on its own programs, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ];
  return { owner, command: (program, args) => ({ program: setpriv, args: [...prefix, program, ...args] }) };
}

/** `postgres` if the machine has that user, else `nobody`. Both exist without our doing. */
function unprivilegedUser(): { uid: number; gid: number } {
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }] as const),
  );
  const user = users.get('postgres') ?? users.get('nobody');
  if (user === undefined) {
    throw new PostgresError('DATA_FOLDER_UNUSABLE', 'PostgreSQL cannot run as root, and there is no user nobody to run it as');
  }
  return user;
}

function openToAll(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === parse(folder).root) return true;
  }
}

function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => `${folder}/${name}`).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
