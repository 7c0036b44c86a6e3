import { createHash } from 'node:crypto';
import { eventId } from '@weir/contracts';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import { recordActivity } from '@weir/service-kit';
import { typeOf } from './content-type.ts';
import type { AttachmentView } from './view.ts';

export const maxAttachments = 10;
/** Of one attachment. */
export const maxAttachmentBytes = 2 * 1024 * 1024;

/** A case of related holds, or the review of one screening. `id` must be a UUID. */
export interface AttachmentOwner {
  readonly kind: 'case' | 'screening';
  readonly id: string;
}

const tables = {
  case: { owners: 'console.cases', stands: 'true', files: 'console.case_attachments', key: 'case_id', idOf: 'case-attachment' },
  screening: {
    owners: 'console.screenings',
    stands: "NOT coalesce(request ? 'erased', false)",
    files: 'console.attachments',
    key: 'screening_id',
    idOf: 'attachment',
  },
} as const;

const columns = 'attachment_id, name, type, bytes, sha256, attached_by, attached_by_name, attached_at';

type Row = Pick<AttachmentView, 'attachment_id' | 'name' | 'type' | 'bytes' | 'sha256'> & {
  attached_by: string;
  attached_by_name: string;
  attached_at: Date;
};

function toView({ attached_by: id, attached_by_name: name, attached_at: at, ...rest }: Row): AttachmentView {
  return { ...rest, attached_by: { id, name }, attached_at: at.toISOString() };
}

type Attached =
  | { readonly attachment: AttachmentView; readonly isNew: boolean }
  | { readonly code: 'NOT_FOUND' | 'TOO_MANY_ATTACHMENTS' | 'UNSUPPORTED_TYPE' };

/** The same content of one owner is a repeat, and keeps its first name. `now`: Unix milliseconds. */
export function attach(
  pool: Pool,
  owner: AttachmentOwner,
  { by, now, name, content }: { readonly by: Person; readonly now: number; readonly name: string; readonly content: Buffer },
): Promise<Attached> {
  const { owners, stands, files, key, idOf } = tables[owner.kind];
  const type = typeOf(content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return transaction(pool, async (tx) => {
    const locked = await tx.query(`SELECT FROM ${owners} WHERE ${key} = $1 AND ${stands} FOR UPDATE`, [owner.id]);
    if (locked.rows.length === 0) return { code: 'NOT_FOUND' };
    if (type === undefined) return { code: 'UNSUPPORTED_TYPE' };
    const attachments = await listAttachments(tx, owner);
    const known = attachments.find((one) => one.sha256 === sha256);
    if (known !== undefined) return { attachment: known, isNew: false };
    if (attachments.length >= maxAttachments) return { code: 'TOO_MANY_ATTACHMENTS' };
    const id = eventId(idOf, owner.id, sha256);
    await tx.query(
      `INSERT INTO ${files} (attachment_id, ${key}, name, type, bytes, sha256, attached_by, attached_by_name, attached_at, content)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [id, owner.id, name, type, content.length, sha256, by.id, by.name, new Date(now), content],
    );
    const details = { attachment_id: id, name, type, bytes: String(content.length), sha256 };
    await recordActivity(tx, { action: 'attachment_added', subjectType: owner.kind, subject: owner.id, by, details, at: now });
    const added = { attachment_id: id, name, type, bytes: content.length, sha256, attached_by: by.id, attached_by_name: by.name };
    return { attachment: toView({ ...added, attached_at: new Date(now) }), isNew: true };
  });
}

/** The latest first. */
export async function listAttachments(db: Queryable, { kind, id }: AttachmentOwner): Promise<AttachmentView[]> {
  const { files, key } = tables[kind];
  const { rows } = await db.query<Row>(`SELECT ${columns} FROM ${files} WHERE ${key} = $1 ORDER BY number DESC`, [id]);
  return rows.map(toView);
}

export async function findAttachment(
  db: Queryable,
  { kind, id }: AttachmentOwner,
  attachmentId: string,
): Promise<(AttachmentView & { content: Buffer }) | undefined> {
  const { files, key } = tables[kind];
  const { rows } = await db.query<Row & { content: Buffer }>(
    `SELECT ${columns}, content FROM ${files} WHERE ${key} = $1 AND attachment_id = $2`,
    [id, attachmentId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { content, ...rest } = row;
  return { ...toView(rest), content };
}

/** At most ten files of 2 MiB. */
export async function listContents(
  db: Queryable,
  { kind, id }: AttachmentOwner,
): Promise<{ name: string; sha256: string; content: Buffer }[]> {
  const { files, key } = tables[kind];
  const { rows } = await db.query<{ name: string; sha256: string; content: Buffer }>(
    `SELECT name, sha256, content FROM ${files} WHERE ${key} = $1 ORDER BY number`,
    [id],
  );
  return rows;
}
