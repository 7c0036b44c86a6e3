import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, FileTrigger } from 'react-aria-components';
import { request } from '../api/request.ts';
import type { AttachmentView } from '../api/types.ts';
import { Section, Time } from '../parts/basics.tsx';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { whole } from '../words/format.ts';

const { attachments: texts } = words;
const mostBytes = 2 * 1_024 * 1_024;

interface Props {
  /** Of the owner in the API. */
  readonly path: string;
  readonly attachments: readonly AttachmentView[];
  readonly mayWrite: boolean;
}

/** Files of a case or of a review. */
export function Attachments({ path, attachments, mayWrite }: Props) {
  const client = useQueryClient();
  const attach = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > mostBytes) throw new RangeError(texts.tooLarge);
      return request(`${path}/attachments`, { method: 'POST', body: { name: file.name, content_base64: await base64Of(file) } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['reviews'] }),
  });
  return (
    <Section title={texts.title}>
      {attachments.length === 0 && <p className="muted">{texts.none}</p>}
      <ul className="notes">
        {attachments.map((one) => (
          <li key={one.attachment_id}>
            <a href={`${path}/attachments/${one.attachment_id}`} download={one.name}>
              {one.name}
            </a>
            <div className="muted">
              {one.type}, {whole(one.bytes)} B, {one.attached_by.name}, <Time iso={one.attached_at} />
            </div>
          </li>
        ))}
      </ul>
      {mayWrite && (
        <div className="row">
          <FileTrigger
            acceptedFileTypes={['application/pdf', 'image/png', 'image/jpeg', 'text/plain']}
            onSelect={(files) => {
              const [file] = files ?? [];
              if (file !== undefined) attach.mutate(file);
            }}
          >
            <Button isDisabled={attach.isPending}>{texts.attach}</Button>
          </FileTrigger>
          <small className="muted">{texts.hint}</small>
        </div>
      )}
      {attach.error !== null && <Problem text={attach.error.message} />}
    </Section>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // In parts, because a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}
