const marks = [
  ['application/pdf', '%PDF-'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
] as const;

export const attachmentTypes = ['application/pdf', 'image/png', 'image/jpeg', 'text/plain'] as const;
export type AttachmentType = (typeof attachmentTypes)[number];

/** The type by the first bytes, whatever the name says. Text is UTF-8 without control characters. Undefined: none of the accepted types. */
export function typeOf(content: Uint8Array): AttachmentType | undefined {
  const start = Buffer.from(content.subarray(0, 8)).toString('latin1');
  const marked = marks.find(([, mark]) => start.startsWith(mark));
  if (marked !== undefined) return marked[0];
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : 'text/plain';
  } catch {
    return undefined;
  }
}
