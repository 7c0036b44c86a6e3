import { activityActions, type Described, personRoles, roles } from '@weir/service-kit';
import { z } from 'zod';

const role = z.enum(roles);

export const tokenView = z
  .strictObject({
    token_id: z.string().describe('The first 16 hex digits of its SHA-256. The token itself is kept by its holder alone.'),
    role,
    name: z.string().describe("The machine's, or the person's."),
    created_at: z.iso.datetime(),
    revoked_at: z.iso.datetime().nullable(),
    per_second: z.int().nullable().describe('Requests a second in one process; null: the default.'),
    per_day: z.int().nullable().describe('Lookups in a UTC day; null: the default.'),
    is_own: z.boolean().describe("Whether it is the caller's."),
  })
  .meta({ id: 'Token' });

export const liveSessionView = z
  .strictObject({
    session_id: z.string().describe('The first 16 hex digits of the SHA-256 of its secret.'),
    role,
    name: z.string().describe("The person's."),
    begun_at: z.iso.datetime(),
    used_at: z.iso.datetime().describe('At most a minute earlier than its last request.'),
    ends_at: z.iso.datetime(),
    is_own: z.boolean().describe("Whether it is the caller's."),
  })
  .meta({ id: 'LiveSession' });

export const processSettingsView = z
  .strictObject({
    process: z.string().describe('A service, or `weir` where all are one process.'),
    since: z.iso.datetime().describe('The first start with these settings.'),
    settings: z
      .array(z.strictObject({ name: z.string(), value: z.string() }))
      .describe('Those that are not the default. Secrets are masked.'),
  })
  .meta({ id: 'ProcessSettings' });

export const knownPersonView = z
  .strictObject({
    person_id: z.string().describe('Role and id, as the audit log names whoever acts.'),
    name: z.string(),
    role: z.enum(personRoles).nullable().describe('null: by the command line, as an account of the operating system.'),
    signs_in_by: z.enum(['token', 'provider', 'command_line']).describe('provider: or by a token that is revoked.'),
    last_seen_at: z.iso.datetime().describe('The last act, use of a session, or making of the token.'),
    acts: z.int().min(0).describe('Resolutions, answers, notes, changes and whatever else the audit log has of the person.'),
    is_own: z.boolean().describe('Whether it is the caller.'),
  })
  .meta({ id: 'KnownPerson' });

export const assigneeView = z.strictObject({ name: z.string() }).meta({ id: 'Assignee' });

export const exampleAssignee: Described<typeof assigneeView> = { name: 'Reviewer' };

export const actView = z
  .strictObject({
    activity_id: z.guid().describe('Also the id of its event in the audit log.'),
    action: z.enum(activityActions),
    subject_type: z.string().describe('What it was done to: screening, case, policy, key and others.'),
    subject: z.string(),
    person: z.strictObject({ id: z.string(), name: z.string() }),
    details: z.array(z.strictObject({ name: z.string(), value: z.string().nullable() })).describe('null: taken away.'),
    recorded_at: z.iso.datetime(),
  })
  .meta({ id: 'Act' });

export const exampleToken: Described<typeof tokenView> = {
  token_id: '0f1e2d3c4b5a6978',
  role: 'ingest',
  name: 'deposit watcher',
  created_at: '2026-01-31T09:12:24.100Z',
  revoked_at: null,
  per_second: null,
  per_day: null,
  is_own: false,
};

export const exampleSession: Described<typeof liveSessionView> = {
  session_id: '8796a5b4c3d2e1f0',
  role: 'reviewer',
  name: 'Reviewer',
  begun_at: '2026-01-31T09:00:00.000Z',
  used_at: '2026-01-31T09:12:00.000Z',
  ends_at: '2026-01-31T21:00:00.000Z',
  is_own: false,
};

export const exampleSettings: Described<typeof processSettingsView> = {
  process: 'scoring',
  since: '2026-01-31T09:12:24.100Z',
  settings: [{ name: 'WEIR_UPSTREAM_PER_SECOND', value: '20' }],
};

export const groupRolesView = z
  .strictObject({
    claim: z
      .string()
      .nullable()
      .describe('Where the provider’s tokens hold a person’s groups; null: people sign in by tokens of Weir alone.'),
    items: z.array(z.strictObject({ group: z.string(), role })).describe('Whoever is in several groups has the first of their roles.'),
  })
  .meta({ id: 'GroupRoles' });

export const exampleGroupRoles: Described<typeof groupRolesView> = {
  claim: 'groups',
  items: [
    { group: 'compliance-leads', role: 'approver' },
    { group: 'compliance', role: 'reviewer' },
  ],
};

export const examplePerson: Described<typeof knownPersonView> = {
  person_id: 'reviewer:8796a5b4c3d2e1f0',
  name: 'Reviewer',
  role: 'reviewer',
  signs_in_by: 'token',
  last_seen_at: '2026-01-31T09:12:00.000Z',
  acts: 12,
  is_own: false,
};

export const exampleAct: Described<typeof actView> = {
  activity_id: '0c6f1d7e-6a34-4f0c-9d1c-2f6f0b1f4a55',
  action: 'key_revoked',
  subject_type: 'key',
  subject: '0f1e2d3c4b5a6978',
  person: { id: 'admin:0a1b2c3d4e5f6071', name: 'Administrator' },
  details: [{ name: 'reason', value: 'lost' }],
  recorded_at: '2026-01-31T09:12:24.100Z',
};
