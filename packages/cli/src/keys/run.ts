import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { systemClock } from '@weir/clock';
import { machineRoles, needsPerson, roles } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, plain, print, printJson, table } from '../output.ts';
import { createKey, findKey, type KeyView, listKeys, type NewKey, prepareKeys, revokeKey } from './keys.ts';

export interface NewKeyFlags extends Omit<NewKey, 'name'> {
  readonly name?: string;
  /** Holder of the token; exactly one of the two is given. */
  readonly person?: string;
}

export async function runCreate(flags: PlaceFlags & NewKeyFlags & { json?: true }): Promise<void> {
  if (flags.surface === undefined && flags.role === undefined) throw new UsageError('give --surface standard|sandbox, or --role');
  if (flags.role !== undefined && !roles.includes(flags.role)) throw new UsageError(`--role must be one of ${roles.join(', ')}`);
  const isLimited = flags.perSecond !== undefined || flags.perDay !== undefined;
  if (isLimited && flags.role !== undefined && !machineRoles.includes(flags.role))
    throw new UsageError(`--per-second and --per-day are for a surface, and for --role ${machineRoles.join(' or ')}`);
  const name = nameOf(flags);
  if (flags.expires !== undefined && flags.expires.getTime() <= systemClock.now()) throw new UsageError('--expires has passed already');
  await withInstallation(flags, async ({ pool }) => {
    const { key, view } = await createKey(pool, { ...flags, name });
    const secret = flags.role === undefined ? { key } : { token: key };
    await (flags.json ? printJson({ ...view, ...secret }) : print(`${key}\n`));
    note(`This is the only time it is shown. Its id is ${view.id}.`);
  });
}

/** One line of visible characters, because the name records who resolved and who approved. */
function nameOf({ role, name, person }: NewKeyFlags): string {
  if (role !== undefined && needsPerson(role) && person === undefined) {
    throw new UsageError(`a token for ${role} belongs to a person: give --person NAME, the same name for all tokens of one person`);
  }
  if (person !== undefined) {
    if (!/[\p{L}\p{N}]/u.test(person) || person.length > 200 || /\p{C}/u.test(person)) {
      throw new UsageError('--person must have 1 to 200 characters, on one line');
    }
    return person.trim();
  }
  if (name === undefined) throw new UsageError('give --name, or --person for the token of a person');
  if (name.trim() === '' || name.length > 200) throw new UsageError('--name must have 1 to 200 characters');
  return name;
}

/** Prints no secret: they go only into the file. */
export async function runEnsure(file: string, flags: PlaceFlags & { name: string }): Promise<void> {
  if (flags.name.trim() === '' || flags.name.length > 180) throw new UsageError('--name must have 1 to 180 characters');
  await withInstallation(flags, async ({ pool }) => {
    await prepareKeys(pool);
    // Every service, which no other sub-command needs.
    const { ensureCredentials } = await import('@weir/installation/services');
    await ensureCredentials(pool, { file: resolve(file), name: flags.name, random: randomBytes, by: operator() });
    note(`${file} holds a token for each role and a key for each surface of the risk API. Its reviewer and approver are one person.`);
  });
}

export async function runList(flags: PlaceFlags & { json?: true }): Promise<void> {
  await withInstallation(flags, async ({ pool }) => {
    const all = await listKeys(pool);
    if (flags.json) return printJson(all);
    const rows = all.map((key) => [
      key.id,
      key.surface ?? `role ${key.role}`,
      limitsOf(key),
      stateOf(key),
      key.created_at.slice(0, 10),
      plain(key.name),
    ]);
    await print(table(['ID', 'FOR', 'LIMITS', 'STATE', 'CREATED', 'NAME'], rows));
  });
}

export async function runRevoke(id: string, flags: PlaceFlags & { yes?: true }): Promise<void> {
  if (!/^[0-9a-f]{6,16}$/i.test(id)) throw new UsageError('an id has 6 to 16 hexadecimal digits; "weir keys list" shows them');
  await withInstallation(flags, async ({ pool }) => {
    const key = await findKey(pool, id.toLowerCase());
    if (key.revoked_at !== null) return note(`${key.id} was revoked before.`);
    const what = `${key.surface === null ? `token with the role ${key.role}` : `${key.surface} key`} "${plain(key.name)}" (${key.id})`;
    if (!(await confirm(`Revoke the ${what}? Its users lose access immediately.`, flags.yes))) return note('Nothing was changed.');
    await revokeKey(pool, key);
    note(`Revoked the ${what}.`);
  });
}

function limitsOf(key: KeyView): string {
  const limits = [
    key.per_second === null ? [] : `${key.per_second}/s`,
    key.per_day === null ? [] : key.surface === null ? `${key.per_day}/day` : `${key.used_today} of ${key.per_day}/day`,
  ].flat();
  return limits.length === 0 ? (key.surface === null ? '' : 'none') : limits.join(', ');
}

function stateOf(key: KeyView): string {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at === null) return 'good';
  return key.expired ? 'expired' : `until ${key.expires_at.slice(0, 10)}`;
}
