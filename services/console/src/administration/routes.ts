import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import {
  admission,
  type Callers,
  listTokens,
  type Operation,
  operation,
  personOf,
  type PersonRole,
  personRoles,
  problem,
  type Role,
  type SignInOptions,
  type StoredToken,
  exportOperation,
  exportRows,
  readers as everyReader,
  mostExported,
} from '@weir/service-kit';
import type { LiveSession, Sessions } from '@weir/sessions';
import type { Context } from 'hono';
import { z } from 'zod';
import { notCursor } from '../cursor.ts';
import { text } from '../texts.ts';
import { pageOf } from '../view.ts';
import { maxLimit, pageParameters } from '../parameters.ts';
import { keepers } from '../reviews/api.ts';
import {
  endSession,
  findToken,
  type KnownPerson,
  latestSettings,
  listActs,
  listNames,
  listPeople,
  revoke,
  type StoredAct,
} from './store.ts';
import {
  actView,
  assigneeView,
  exampleAct,
  exampleAssignee,
  exampleGroupRoles,
  examplePerson,
  exampleSession,
  exampleSettings,
  exampleToken,
  groupRolesView,
  liveSessionView,
  knownPersonView,
  processSettingsView,
  tokenView,
} from './view.ts';

export interface AdministrationOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** Undefined without an OIDC provider. */
  readonly signIn: SignInOptions | undefined;
}

const tag = 'administration';
const mostPeople = 500;
/** Of a person of the operating system. */
const commandLine = 'os';
const readers: readonly Role[] = ['auditor', 'admin'];
const tokenSegments = z.object({ token_id: z.string().meta({ description: '16 hex digits.', example: exampleToken.token_id }) });
const sessionSegments = z.object({ session_id: z.string().meta({ description: '16 hex digits.', example: exampleSession.session_id }) });
const listOf = <Item extends z.ZodType>(item: Item) => z.strictObject({ items: z.array(item) });

/** Who may use Weir, who does now, and the settings in force. */
export function administrationOperations(options: AdministrationOptions): readonly Operation[] {
  return [
    peopleOperation(options),
    assigneesOperation(options),
    actsOperation(options),
    actsExport(options),
    ...tokenOperations(options),
    ...sessionListOperations(options),
    groupsOperation(options),
    settingsOperation(options),
  ];
}

function peopleOperation({ db, access }: AdministrationOptions): Operation {
  return operation({
    name: 'list_people',
    method: 'GET',
    path: '/v1/people',
    tag,
    summary: `Lists the ${mostPeople} people who were seen last: by a token, a session or an act.`,
    admission: admission(access, readers),
    answers: [{ status: 200, description: 'The last seen first.', schema: listOf(knownPersonView), example: { items: [examplePerson] } }],
    respond: async (c) => {
      c.header('cache-control', 'no-store');
      const people = await listPeople(db, [...personRoles, commandLine], mostPeople);
      return c.json({ items: people.map((person) => viewOfPerson(c, person)) });
    },
  });
}

function assigneesOperation({ db, access }: AdministrationOptions): Operation {
  return operation({
    name: 'list_assignees',
    method: 'GET',
    path: '/v1/assignees',
    tag,
    summary: 'Lists the names of people whom a review or a case can be assigned to.',
    admission: admission(access, everyReader),
    answers: [{ status: 200, description: 'By name.', schema: listOf(assigneeView), example: { items: [exampleAssignee] } }],
    respond: async (c) => {
      const names = await listNames(db, keepers, mostPeople);
      c.header('cache-control', 'no-store');
      return c.json({ items: names.map((name) => ({ name })) });
    },
  });
}

function actsOperation({ db, access }: AdministrationOptions): Operation {
  return operation({
    name: 'list_acts',
    method: 'GET',
    path: '/v1/activities',
    tag,
    summary: 'Lists what people did, but for resolutions, which are with their screenings.',
    description: 'Each act is an event of the audit log with the same id.',
    admission: admission(access, readers),
    query: z.object({
      limit: pageParameters.limit,
      cursor: z
        .string()
        .regex(/^[0-9]{1,18}$/, notCursor)
        .transform(BigInt)
        .optional()
        .meta({ description: 'The next_cursor of an earlier answer. Left out: the first page.' }),
    }),
    answers: [
      { status: 200, description: 'The newest first.', schema: pageOf(actView), example: { items: [exampleAct], next_cursor: null } },
    ],
    respond: async (c, { query }) => {
      const limit = Math.min(query.limit, maxLimit);
      const acts = await listActs(db, limit, query.cursor);
      const last = acts.at(-1);
      c.header('cache-control', 'no-store');
      return c.json({ items: acts.map(actOf), next_cursor: acts.length < limit || last === undefined ? null : String(last.number) });
    },
  });
}

function actsExport({ db, access }: AdministrationOptions): Operation {
  const columns = ['recorded_at', 'person_id', 'person_name', 'action', 'subject_type', 'subject', 'details', 'activity_id'];
  return exportOperation({
    list: 'activities',
    what: 'acts of people, newest first',
    tag,
    admission: admission(access, readers),
    query: z.object({}),
    example: columns.join(','),
    read: async () => {
      const acts = await listActs(db, mostExported + 1, undefined);
      return exportRows(columns, acts.map(rowOf));
    },
  });
}

function rowOf({ recorded_at: at, details, ...act }: StoredAct): object {
  return { ...act, recorded_at: at.toISOString(), details: details.map(({ name, value }) => `${name}: ${value ?? ''}`).join('; ') };
}

function tokenOperations({ db, access, clock }: AdministrationOptions): readonly Operation[] {
  const list = operation({
    name: 'list_tokens',
    method: 'GET',
    path: '/v1/tokens',
    tag,
    summary: 'Lists the tokens of machines and people, the revoked ones too.',
    admission: admission(access, readers),
    answers: [{ status: 200, description: 'The oldest first.', schema: listOf(tokenView), example: { items: [exampleToken] } }],
    respond: async (c) => {
      c.header('cache-control', 'no-store');
      return c.json({ items: (await listTokens(db)).map((token) => tokenOf(c, token)) });
    },
  });
  const end = operation({
    name: 'revoke_token',
    method: 'POST',
    path: '/v1/tokens/{token_id}/revoke',
    tag,
    summary: 'Revokes a token for good. It is refused at once, and sessions that began with it end.',
    admission: admission(access, ['admin']),
    segments: tokenSegments,
    body: { schema: z.strictObject({ reason: text }), what: 'a reason', example: { reason: 'lost' } },
    answers: [
      { status: 200, description: 'The token.', schema: tokenView, example: { ...exampleToken, revoked_at: '2026-01-31T10:00:00.000Z' } },
    ],
    problems: {
      NOT_FOUND: [404, 'There is no token with this id.'],
      OWN_TOKEN: [409, "It is the caller's own: another administrator, or `weir keys revoke`, revokes it."],
    },
    repeats: 'Changes nothing.',
    respond: async (c, { body }) => {
      const token = await findToken(db, c.req.param('token_id') ?? '');
      if (token === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no token with this id');
      if (isOwn(c, token)) return problem(c, 409, 'OWN_TOKEN', 'this is your own token: another administrator revokes it');
      await revoke({ db, clock }, token, body.reason, personOf(c.get('caller')));
      return c.json(tokenOf(c, (await findToken(db, token.id)) ?? token));
    },
  });
  return [list, end];
}

function sessionListOperations({ db, access, clock, sessions }: AdministrationOptions): readonly Operation[] {
  const list = operation({
    name: 'list_sessions',
    method: 'GET',
    path: '/v1/sessions',
    tag,
    summary: 'Lists the live sessions of the web console.',
    admission: admission(access, readers),
    answers: [{ status: 200, description: 'The last used first.', schema: listOf(liveSessionView), example: { items: [exampleSession] } }],
    respond: async (c) => {
      c.header('cache-control', 'no-store');
      return c.json({ items: (await sessions.list()).map((session) => sessionOf(c, session)) });
    },
  });
  const end = operation({
    name: 'end_other_session',
    method: 'DELETE',
    path: '/v1/sessions/{session_id}',
    tag,
    summary: 'Ends a session. Its person may sign in again.',
    admission: admission(access, ['admin']),
    segments: sessionSegments,
    answers: [{ status: 200, description: 'The session as it was.', schema: liveSessionView, example: exampleSession }],
    problems: { NOT_FOUND: [404, 'There is no live session with this id.'] },
    repeats: 'Then it is 404.',
    respond: async (c) => {
      const session = (await sessions.list()).find(({ id }) => id === c.req.param('session_id'));
      const isEnded = session !== undefined && (await endSession({ db, clock }, sessions, session, personOf(c.get('caller'))));
      return isEnded ? c.json(sessionOf(c, session)) : problem(c, 404, 'NOT_FOUND', 'there is no live session with this id');
    },
  });
  return [list, end];
}

function groupsOperation({ access, signIn }: AdministrationOptions): Operation {
  return operation({
    name: 'list_group_roles',
    method: 'GET',
    path: '/v1/group-roles',
    tag,
    summary: 'Lists which role each group of the OIDC provider gives.',
    admission: admission(access, readers),
    answers: [
      { status: 200, description: 'Whoever is in several groups has the first role.', schema: groupRolesView, example: exampleGroupRoles },
    ],
    respond: (c) => {
      const items = [...(signIn?.roles ?? [])].map(([group, role]) => ({ group, role }));
      const order = ({ role }: { role: PersonRole }): number => personRoles.indexOf(role);
      c.header('cache-control', 'no-store');
      return c.json({ claim: signIn?.roleClaim ?? null, items: items.toSorted((a, b) => order(a) - order(b)) });
    },
  });
}

function settingsOperation({ db, access }: AdministrationOptions): Operation {
  return operation({
    name: 'list_settings',
    method: 'GET',
    path: '/v1/settings',
    tag,
    summary: 'Lists the settings in force that are not the default, by process.',
    admission: admission(access, readers),
    answers: [
      { status: 200, description: 'By name of the process.', schema: listOf(processSettingsView), example: { items: [exampleSettings] } },
    ],
    respond: async (c) => {
      c.header('cache-control', 'no-store');
      return c.json({ items: (await latestSettings(db)).map(({ since, ...rest }) => ({ ...rest, since: since.toISOString() })) });
    },
  });
}

function viewOfPerson(c: Context, { id, name, lastSeenAt, acts, hasToken }: KnownPerson): z.output<typeof knownPersonView> {
  const role = personRoles.find((each) => id.startsWith(`${each}:`)) ?? null;
  return {
    person_id: id,
    name,
    role,
    signs_in_by: role === null ? 'command_line' : hasToken ? 'token' : 'provider',
    last_seen_at: lastSeenAt.toISOString(),
    acts,
    is_own: personOf(c.get('caller')).id === id,
  };
}

function actOf({ activity_id, action, subject_type, subject, person_id, person_name, details, recorded_at }: StoredAct) {
  const person = { id: person_id, name: person_name };
  return { activity_id, action, subject_type, subject, person, details, recorded_at: recorded_at.toISOString() };
}

function isOwn(c: Context, { id, role }: Pick<StoredToken, 'id' | 'role'>): boolean {
  const caller = c.get('caller');
  return caller.id === id && caller.role === role;
}

function tokenOf(c: Context, token: StoredToken): z.output<typeof tokenView> {
  return {
    token_id: token.id,
    role: token.role,
    name: token.name,
    created_at: token.createdAt.toISOString(),
    revoked_at: token.revokedAt?.toISOString() ?? null,
    per_second: token.perSecond,
    per_day: token.perDay,
    is_own: isOwn(c, token),
  };
}

function sessionOf(c: Context, { id, callerId, role, name, ...times }: LiveSession): z.output<typeof liveSessionView> {
  return {
    session_id: id,
    role,
    name,
    begun_at: times.begunAt.toISOString(),
    used_at: times.usedAt.toISOString(),
    ends_at: times.endsAt.toISOString(),
    is_own: isOwn(c, { id: callerId, role }),
  };
}
