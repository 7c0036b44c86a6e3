import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { admission, type Callers, type Operation, operation, personOf, problem, readers, exportOperation } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { attachmentOperations } from '../attachments/routes.ts';
import { encodeCursor } from '../cursor.ts';
import { definedOnly, maxLimit, pageParameters, time, uuid } from '../parameters.ts';
import { keepers } from '../reviews/api.ts';
import { type Reassigned, reassignedProblem, refuseReassigned } from '../reviews/assignment.ts';
import { bodies } from '../reviews/body.ts';
import { maxNameLength, text } from '../texts.ts';
import { pageOf } from '../view.ts';
import { exampleCase, exampleCaseDetail, exampleCaseId } from './examples.ts';
import { exportCases } from './export.ts';
import { type CaseFilter, findCase, listCases } from './query.ts';
import { addCaseNote, assignCase, type CaseAct, setCaseDue, setCaseOutcome } from './store.ts';
import { caseDetail, caseOutcome, type CaseView, caseView } from './view.ts';

export interface CaseOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
}

const tag = 'cases';
const segments = z.object({ case_id: z.string().meta({ description: 'UUID.', example: exampleCaseId }) });
const notFound = { NOT_FOUND: [404, 'There is no case with this id.'] } as const;
const notName = `must be a name of at most ${maxNameLength} characters, or none`;

const filtered = {
  state: z.enum(['open', 'closed']).optional(),
  assignee: z.string().max(maxNameLength, notName).optional().meta({ description: 'A name, or none.' }),
  outcome: caseOutcome.optional(),
  escalated: z.literal('true').optional().meta({ description: 'true: found open past its due time.' }),
  due: z
    .union([z.literal('overdue'), time], { error: 'must be overdue, or a time (RFC 3339) before which it is due' })
    .optional()
    .meta({ description: 'overdue, or a time (RFC 3339) before which it is due.' }),
};
const parameters = z.object({ ...filtered, ...pageParameters });
const exported = z.object(filtered);

const caseBodies = {
  outcome: z
    .strictObject({ outcome: caseOutcome.nullable(), reason: text })
    .meta({ description: 'An outcome closes the case; null opens it again.' }),
};

/** Cases: related holds, and the work of people on them. They decide nothing about a transfer. */
export function caseOperations(options: CaseOptions): readonly Operation[] {
  const attachments = attachmentOperations(options, {
    kind: 'case',
    what: 'case',
    path: '/v1/cases/{case_id}',
    names: { add: 'add_attachment', get: 'get_attachment' },
    writers: keepers,
    tag,
    segments,
    idOf,
    notFound,
    refuse,
  });
  return [...readOperations(options), ...planOperations(options), ...attachments];
}

function idOf(c: Context): string | undefined {
  return uuid.safeParse(c.req.param('case_id')).data;
}

function refuse(c: Context): Response {
  return problem(c, 404, 'NOT_FOUND', 'there is no case with this id');
}

function actOf(c: Context, clock: Clock): CaseAct | undefined {
  const caseId = idOf(c);
  return caseId === undefined ? undefined : { caseId, by: personOf(c.get('caller')), now: clock.now() };
}

function readOperations({ db, access, clock }: CaseOptions): readonly Operation[] {
  const list = operation({
    name: 'list_cases',
    method: 'GET',
    path: '/v1/cases',
    tag,
    summary: 'Lists cases, newest first.',
    description: 'Holds of one user, counterparty, re-screened subject or entity are one case.',
    admission: admission(access, readers),
    query: parameters,
    answers: [{ status: 200, description: 'One page.', schema: pageOf(caseView), example: { items: [exampleCase], next_cursor: null } }],
    respond: async (c, { query: { cursor, limit, ...filter } }) => {
      const { items, next } = await listCases(db, filterOf(filter, clock.now()), Math.min(limit, maxLimit), cursor);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const get = operation({
    name: 'get_case',
    method: 'GET',
    path: '/v1/cases/{case_id}',
    tag,
    summary: 'Shows one case with its holds, notes and attachments.',
    admission: admission(access, readers),
    segments,
    answers: [{ status: 200, description: 'The case.', schema: caseDetail, example: exampleCaseDetail }],
    problems: notFound,
    respond: async (c) => {
      const id = idOf(c);
      const found = id === undefined ? undefined : await findCase(db, id);
      c.header('cache-control', 'no-store');
      return found === undefined ? refuse(c) : c.json(found);
    },
  });
  const asCsv = exportOperation({
    list: 'cases',
    what: 'cases of a filter',
    tag,
    admission: admission(access, readers),
    query: exported,
    example: 'case_id,state',
    read: (_, query) => exportCases(db, filterOf(query, clock.now())),
  });
  return [list, get, asCsv];
}

function filterOf({ due, escalated, ...filter }: z.output<typeof exported>, now: number): CaseFilter {
  const dueBefore = due === 'overdue' ? new Date(now) : due;
  return definedOnly({ ...filter, dueBefore, escalated: escalated === 'true' });
}

function planOperations({ db, access, clock }: CaseOptions): readonly Operation[] {
  const shared = { tag, admission: admission(access, keepers), segments, problems: notFound } as const;
  const changed = {
    ...shared,
    method: 'PUT',
    answers: [{ status: 200, description: 'The case as it is now.', schema: caseView, example: exampleCase }],
    repeats: 'Changes nothing.',
  } as const;
  const answer = async (c: Context, change: (act: CaseAct) => Promise<CaseView | Reassigned | undefined>): Promise<Response> => {
    const act = actOf(c, clock);
    const found = act === undefined ? undefined : await change(act);
    if (found === undefined) return refuse(c);
    return 'assignedTo' in found ? refuseReassigned(c, found) : c.json(found);
  };
  const added = z.strictObject({ note_id: z.guid() });
  const addedExample = { note_id: '3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c' };
  const note = operation({
    ...shared,
    name: 'add_case_note',
    method: 'POST',
    path: '/v1/cases/{case_id}/notes',
    summary: 'Adds a note to a case.',
    body: { schema: bodies.note, what: 'a note', example: { text: 'All of them come from one exchange.' } },
    answers: [
      { status: 201, description: 'Added.', schema: added, example: addedExample },
      { status: 200, description: 'The same person has written the same before.', schema: added, example: addedExample },
    ],
    repeats: 'The same text of the same person is one note.',
    respond: async (c, { body }) => {
      const act = actOf(c, clock);
      const stored = act === undefined ? undefined : await addCaseNote(db, { ...act, text: body.text });
      return stored === undefined ? refuse(c) : c.json({ note_id: stored.noteId }, stored.isNew ? 201 : 200);
    },
  });
  const assign = operation({
    ...changed,
    name: 'set_case_assignee',
    path: '/v1/cases/{case_id}/assignee',
    summary: 'Assigns a case to a person, or to nobody.',
    problems: { ...notFound, ...reassignedProblem },
    body: { schema: bodies.assignee, what: 'an assignment', example: { assignee: 'Reviewer' } },
    respond: (c, { body: { assignee, expected_assignee: expected } }) => answer(c, (act) => assignCase(db, { ...act, assignee, expected })),
  });
  const due = operation({
    ...changed,
    name: 'set_case_due',
    path: '/v1/cases/{case_id}/due',
    summary: 'Sets the time by which a case is due, or none. A time to come ends its escalation.',
    body: { schema: bodies.due, what: 'a due time', example: { due_at: '2026-02-02T09:00:00Z' } },
    respond: (c, { body: { due_at: dueAt } }) => answer(c, (act) => setCaseDue(db, { ...act, dueAt })),
  });
  const outcome = operation({
    ...changed,
    name: 'set_case_outcome',
    path: '/v1/cases/{case_id}/outcome',
    summary: 'Labels a case with its outcome, which closes it. Resolutions of its holds are apart from that.',
    body: {
      schema: caseBodies.outcome,
      what: 'an outcome',
      example: { outcome: 'false_positive', reason: 'The label was of another address.' },
    },
    respond: (c, { body }) => answer(c, (act) => setCaseOutcome(db, { ...act, ...body })),
  });
  return [note, assign, due, outcome];
}
