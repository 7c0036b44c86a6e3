import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { admission, type Callers, type Operation, operation, personOf, problem, readers, type Role } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { uuid } from '../parameters.ts';
import { name } from '../texts.ts';
import { attachmentTypes } from './content-type.ts';
import { attach, type AttachmentOwner, findAttachment, maxAttachmentBytes, maxAttachments } from './store.ts';
import { attachmentView, exampleAttachment } from './view.ts';

interface Options {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
}

/** Where files are attached. */
interface Place {
  readonly kind: AttachmentOwner['kind'];
  readonly what: 'case' | 'review';
  readonly path: string;
  readonly names: { readonly add: string; readonly get: string };
  readonly writers: readonly Role[];
  readonly tag: string;
  readonly segments: z.ZodObject;
  readonly idOf: (c: Context) => string | undefined;
  readonly notFound: { readonly NOT_FOUND: readonly [status: 404, description: string] };
  readonly refuse: (c: Context) => Response;
}

/** Base64 takes four characters for three bytes. */
const mostBase64 = Math.ceil(maxAttachmentBytes / 3) * 4;
const content = z
  .base64()
  .min(1)
  .max(mostBase64, `may have ${maxAttachmentBytes} bytes`)
  .transform((base64) => Buffer.from(base64, 'base64'))
  .refine((bytes) => bytes.length > 0 && bytes.length <= maxAttachmentBytes, `must have 1 to ${maxAttachmentBytes} bytes`);
const body = z.strictObject({ name, content_base64: content });

/** Files that people attach to a case or to a review. */
export function attachmentOperations({ db, access, clock }: Options, place: Place): readonly Operation[] {
  const { what, path, tag, segments, notFound, refuse } = place;
  const ownerOf = (c: Context): AttachmentOwner | undefined => {
    const id = place.idOf(c);
    return id === undefined ? undefined : { kind: place.kind, id };
  };
  const add = operation({
    name: place.names.add,
    method: 'POST',
    path: `${path}/attachments`,
    tag,
    summary: `Attaches a file of at most ${maxAttachmentBytes} bytes; a ${what} takes ${maxAttachments}.`,
    admission: admission(access, place.writers),
    segments,
    body: {
      schema: body,
      what: 'an attachment',
      example: { name: 'statement.txt', content_base64: 'U3RhdGVtZW50IG9mIHRoZSBjdXN0b21lci4K' },
      maxBytes: mostBase64 + 4_096,
    },
    answers: [
      { status: 201, description: 'Attached.', schema: attachmentView, example: exampleAttachment },
      { status: 200, description: `The ${what} has this content already.`, schema: attachmentView, example: exampleAttachment },
    ],
    problems: {
      ...notFound,
      TOO_MANY_ATTACHMENTS: [409, `The ${what} has ${maxAttachments} attachments.`],
      UNSUPPORTED_TYPE: [422, `By its content it is none of ${attachmentTypes.join(', ')}.`],
    },
    repeats: 'The same content is attached once.',
    respond: async (c, { body: file }) => {
      const owner = ownerOf(c);
      if (owner === undefined) return refuse(c);
      const given = { by: personOf(c.get('caller')), now: clock.now(), name: file.name, content: file.content_base64 };
      const attached = await attach(db, owner, given);
      if ('attachment' in attached) return c.json(attached.attachment, attached.isNew ? 201 : 200);
      if (attached.code === 'NOT_FOUND') return refuse(c);
      return attached.code === 'TOO_MANY_ATTACHMENTS'
        ? problem(c, 409, attached.code, `a ${what} takes ${maxAttachments} attachments`)
        : problem(c, 422, attached.code, `by its content it is none of ${attachmentTypes.join(', ')}`, { field: 'content_base64' });
    },
  });
  const get = operation({
    name: place.names.get,
    method: 'GET',
    path: `${path}/attachments/{attachment_id}`,
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
      const [owner, attachmentId] = [ownerOf(c), uuid.safeParse(c.req.param('attachment_id')).data];
      const found = owner === undefined || attachmentId === undefined ? undefined : await findAttachment(db, owner, attachmentId);
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
