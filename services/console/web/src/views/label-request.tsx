import { chains } from '@weir/chains/chain';
import { Form } from 'react-aria-components';
import { useLabelChange } from '../api/changes.ts';
import { Section } from '../parts/basics.tsx';
import { useDraft } from '../parts/draft.ts';
import { Choice, LongText, ShortText, withGiven } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';

const { labels: text } = words;
const actions = ['add', 'end', 'withdraw'] as const;
const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chain: Object.fromEntries(chains.map((chain) => [chain, chain])),
  category: words.categories,
};

type Action = (typeof actions)[number];

interface Draft {
  readonly action: Action;
  readonly fields: Readonly<Record<string, string>>;
}

interface Props {
  /** Address, source and category of the label to end; each may be empty. */
  readonly ended: readonly string[];
  /** Whose draft it is. */
  readonly name: string;
}

/** Nothing changes before another person approves. */
export function AskForChange({ ended, name: person }: Props) {
  const [address = '', source = '', category = ''] = ended;
  const { text: draft, keep, forget } = useDraft(`label request ${ended.join(' ')} ${person}`);
  const { action, fields }: Draft =
    draft === undefined ? { action: address === '' ? 'add' : 'end', fields: { address, source, category } } : (JSON.parse(draft) as Draft);
  const set = (next: Partial<Draft>): void => keep(JSON.stringify({ action, fields, ...next }));
  const change = useLabelChange<object>('', () => {
    set({ fields: {} });
    forget();
  });
  const field = (name: string) => ({
    value: fields[name] ?? '',
    onChange: (value: string) => set({ fields: { ...fields, [name]: value } }),
  });
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
          change.mutate(bodyOf());
        }}
      >
        <div className="filters">
          <Choice
            label={text.change}
            options={text.actions}
            isRequired
            value={action}
            onChange={(to) => set({ action: actions.find((each) => each === to) ?? 'add' })}
          />
          {used.map((name) => {
            const options = choices[name];
            const label = text[name as 'chain' | 'address' | 'name' | 'category' | 'source'];
            if (options === undefined) return <ShortText key={name} label={label} isRequired {...field(name)} />;
            const { value, onChange } = field(name);
            const isRequired = action === 'add';
            return (
              <Choice
                key={`${action} ${name}`}
                label={label}
                options={withGiven(options, value)}
                isRequired={isRequired}
                all={text.anyCategory}
                value={value}
                onChange={onChange}
              />
            );
          })}
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
