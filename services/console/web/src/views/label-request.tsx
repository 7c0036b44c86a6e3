import { useState } from 'react';
import { Form } from 'react-aria-components';
import { useLabelChange } from '../api/changes.ts';
import { Section } from '../parts/basics.tsx';
import { Choice, LongText, ShortText } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';

const { labels: text } = words;
const actions = ['add', 'end', 'withdraw'] as const;

/** Nothing changes before another person approves. `given`: `end`, `of` and `category` of the label to end. */
export function AskForChange({ given }: { readonly given: URLSearchParams }) {
  const [action, setAction] = useState<(typeof actions)[number]>(given.has('end') ? 'end' : 'add');
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({
    address: given.get('end') ?? '',
    source: given.get('of') ?? '',
    category: given.get('category') ?? '',
  });
  const change = useLabelChange<object>();
  const field = (name: string) => ({ value: fields[name] ?? '', onChange: (value: string) => setFields({ ...fields, [name]: value }) });
  const used: readonly string[] = {
    add: ['chain', 'address', 'name', 'category', 'source'],
    end: ['address', 'category', 'source'],
    withdraw: ['source'],
  }[action];
  const bodyOf = (): object => ({
    action,
    reason: fields['reason'],
    ...Object.fromEntries(used.map((name) => [name, fields[name]?.trim() ?? '']).filter(([, value]) => value !== '')),
  });
  return (
    <Section title={text.ask}>
      <p className="muted">{text.askHint}</p>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(bodyOf(), { onSuccess: () => setFields({}) });
        }}
      >
        <div className="filters">
          <Choice
            label={text.change}
            options={text.actions}
            isRequired
            value={action}
            onChange={(to) => setAction(actions.find((each) => each === to) ?? 'add')}
          />
          {used.map((name) => (
            <ShortText
              key={name}
              label={text[name as 'chain' | 'address' | 'name' | 'category' | 'source']}
              isRequired={name !== 'category' || action === 'add'}
              {...(name === 'category' && action === 'end' && { placeholder: text.anyCategory })}
              {...field(name)}
            />
          ))}
        </div>
        <LongText label={text.reason} hint={text.reasonHint} {...field('reason')} />
        {change.error !== null && <Problem text={change.error.message} />}
        <p className="row">
          <PendingButton type="submit" className="primary" isPending={change.isPending}>
            {text.send}
          </PendingButton>
          <span role="status" className="muted">
            {change.isSuccess ? text.asked : ''}
          </span>
        </p>
      </Form>
    </Section>
  );
}
