import type { Described } from '@weir/service-kit';
import { z } from 'zod';
import { personView } from '../view.ts';
import { attachmentTypes } from './content-type.ts';

export const attachmentView = z
  .strictObject({
    attachment_id: z.guid(),
    name: z.string(),
    type: z.enum(attachmentTypes).describe('By its content.'),
    bytes: z.int().min(1),
    sha256: z.string().describe('Of the content, in hex.'),
    attached_by: personView,
    attached_at: z.iso.datetime(),
  })
  .meta({ id: 'Attachment' });
export type AttachmentView = Described<typeof attachmentView>;

/** Example of the description. Tests check it against its schema. */
export const exampleAttachment: AttachmentView = {
  attachment_id: '6f3a4c1e-2b7d-5e90-8c14-9d2e7b5a1f36',
  name: 'statement.pdf',
  type: 'application/pdf',
  bytes: 48_211,
  sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  attached_by: { id: 'reviewer:1f2e3d4c5b6a7980', name: 'Reviewer' },
  attached_at: '2026-01-31T10:05:00.000Z',
};
