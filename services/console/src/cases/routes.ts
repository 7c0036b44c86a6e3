import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { admission, type Callers, type Operation, operation, personOf, problem, readers, exportOperation } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { encodeCursor } from '../cursor.ts';
import { definedOnly, maxLimit, pageParameters, time, uuid } from '../parameters.ts';
import { keepers } from '../reviews/api.ts';
import { bodies, maxNameLength, name, text } from '../reviews/body.ts';
import { pageOf } from '../view.ts';
import { attachmentTypes } from './content-type.ts';
import { exampleAttachment, exampleCase, exampleCaseDetail, exampleCaseId } from './examples.ts';
import { exportCases } from './export.ts';
import { type CaseFilter, findAttachment, findCase, listCases } from './query.ts';
import { addCaseNote, assignCase, attach, type CaseAct, maxAttachmentBytes, maxAttachments, setCaseDue, setCaseOutcome } from './store.ts';
import { attachmentView, caseDetail, caseOutcome, type CaseView, caseView } from './view.ts';

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

/** Base64 takes four characters for three bytes. */
const mostBase64 = Math.ceil(maxAttachmentBytes / 3) * 4;
const content = z
  .base64()
  .min(1)
  .max(mostBase64, `may have ${maxAttachmentBytes} bytes`)
  .transform((base64) => Buffer.from(base64, 'base64'))
  .refine((bytes) => bytes.length > 0 && bytes.length <= maxAttachmentBytes, `must have 1 to ${maxAttachmentBytes} bytes`);

const caseBodies = {
  outcome: z
    .strictObject({ outcome: caseOutcome.nullable(), reason: text })
    .meta({ description: 'An outcome closes the case; null opens it again.' }),
  attachment: z.strictObject({ name, content_base64: content }),
};

/** Cases: related holds, and the work of people on them. They decide nothing about a transfer. */
export function caseOperations(options: CaseOptions): readonly Operation[] {
  return [...readOperations(options), ...planOperations(options), ...fileOperations(options)];
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
  const answer = async (c: Context, change: (act: CaseAct) => Promise<CaseView | undefined>): Promise<Response> => {
    const act = actOf(c, clock);
    const found = act === undefined ? undefined : await change(act);
    return found === undefined ? refuse(c) : c.json(found);
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
    body: { schema: bodies.assignee, what: 'an assignment', example: { assignee: 'Reviewer' } },
    respond: (c, { body: { assignee } }) => answer(c, (act) => assignCase(db, { ...act, assignee })),
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

function fileOperations({ db, access, clock }: CaseOptions): readonly Operation[] {
  const add = operation({
    name: 'add_attachment',
    method: 'POST',
    path: '/v1/cases/{case_id}/attachments',
    tag,
    summary: `Attaches a file of at most ${maxAttachmentBytes} bytes; a case takes ${maxAttachments}.`,
    admission: admission(access, keepers),
    segments,
    body: {
      schema: caseBodies.attachment,
      what: 'an attachment',
      example: { name: 'statement.txt', content_base64: 'U3RhdGVtZW50IG9mIHRoZSBjdXN0b21lci4K' },
      maxBytes: mostBase64 + 4_096,
    },
    answers: [
      { status: 201, description: 'Attached.', schema: attachmentView, example: exampleAttachment },
      { status: 200, description: 'The case has this content already.', schema: attachmentView, example: exampleAttachment },
    ],
    problems: {
      ...notFound,
      TOO_MANY_ATTACHMENTS: [409, `The case has ${maxAttachments} attachments.`],
      UNSUPPORTED_TYPE: [422, `By its content it is none of ${attachmentTypes.join(', ')}.`],
    },
    repeats: 'The same content is attached once.',
    respond: async (c, { body }) => {
      const act = actOf(c, clock);
      if (act === undefined) return refuse(c);
      const attached = await attach(db, { ...act, name: body.name, content: body.content_base64 });
      if ('attachment' in attached) return c.json(attached.attachment, attached.isNew ? 201 : 200);
      if (attached.code === 'NOT_FOUND') return refuse(c);
      return attached.code === 'TOO_MANY_ATTACHMENTS'
        ? problem(c, 409, attached.code, `a case takes ${maxAttachments} attachments`)
        : problem(c, 422, attached.code, `by its content it is none of ${attachmentTypes.join(', ')}`, { field: 'content_base64' });
    },
  });
  const get = operation({
    name: 'get_attachment',
    method: 'GET',
    path: '/v1/cases/{case_id}/attachments/{attachment_id}',
    tag,
    summary: 'The content of an attachment.',
    admission: admission(access, readers),
    segments: segments.extend({
      attachment_id: z.string().meta({ description: 'UUID.', example: exampleAttachment.attachment_id }),
    }),
    answers: [
      {
        status: 200,
        description: 'The bytes, to be saved.',
        type: 'application/octet-stream',
        schema: z.string().meta({ format: 'binary' }),
        example: 'Statement of the customer.',
      },
    ],
    problems: { NOT_FOUND: [404, 'There is no such attachment.'] },
    respond: async (c) => {
      const [caseId, attachmentId] = [idOf(c), uuid.safeParse(c.req.param('attachment_id')).data];
      const found = caseId === undefined || attachmentId === undefined ? undefined : await findAttachment(db, caseId, attachmentId);
      if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no such attachment');
      // The bytes are a stranger's: a browser must neither show nor interpret them.
      c.header('x-content-type-options', 'nosniff');
      c.header('cache-control', 'private, no-store');
      c.header('content-security-policy', 'sandbox');
      return c.body(new Uint8Array(found.content), 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(found.name)}`,
      });
    },
  });
  return [add, get];
}
