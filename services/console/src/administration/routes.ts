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
} from '@weir/service-kit';
import type { LiveSession, Sessions } from '@weir/sessions';
import type { Context } from 'hono';
import { z } from 'zod';
import { text } from '../reviews/body.ts';
import { endSession, findToken, latestSettings, revoke } from './store.ts';
import {
  exampleGroupRoles,
  exampleSession,
  exampleSettings,
  exampleToken,
  groupRolesView,
  liveSessionView,
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
const readers: readonly Role[] = ['auditor', 'admin'];
const tokenSegments = z.object({ token_id: z.string().meta({ description: '16 hex digits.', example: exampleToken.token_id }) });
const sessionSegments = z.object({ session_id: z.string().meta({ description: '16 hex digits.', example: exampleSession.session_id }) });
const listOf = <Item extends z.ZodType>(item: Item) => z.strictObject({ items: z.array(item) });

/** Who may use Weir, who does now, and the settings in force. */
export function administrationOperations(options: AdministrationOptions): readonly Operation[] {
  return [...tokenOperations(options), ...sessionListOperations(options), groupsOperation(options), settingsOperation(options)];
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
