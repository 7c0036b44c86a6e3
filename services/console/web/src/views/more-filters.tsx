import { chains } from '@weir/chains/chain';
import { useEffect, useEffectEvent, useState } from 'react';
import { focusHeading } from '../parts/view.ts';
import { Button, FieldError, Input, Label, TextField } from 'react-aria-components';
import type { Query } from '../api/queries.ts';
import { Time } from '../parts/basics.tsx';
import { Choice, type FieldProps, withGiven } from '../parts/fields.tsx';
import { useZone } from '../parts/zone.ts';
import { words } from '../words/en.ts';
import { dayOf, startOf } from '../words/format.ts';

const { filters } = words;
const { names } = filters;

interface FieldsProps {
  readonly field: (name: string) => FieldProps;
}

/** Filters that few readers need; those in force stand above the list in any case. */
export function MoreFilters({ field }: FieldsProps) {
  const chain = field('chain');
  return (
    <details className="more-filters">
      <summary>{filters.more}</summary>
      <div className="filters" role="group" aria-label={filters.more}>
        <Text label={names.user_id} {...field('user_id')} />
        <Text label={names.coin} {...field('coin')} />
        <Choice label={names.chain} options={withGiven(Object.fromEntries(chains.map((each) => [each, each])), chain.value)} {...chain} />
        <Text label={names.rule} {...field('rule')} />
        <Day label={filters.firstDay} {...field('since')} />
        <Day label={filters.lastDay} isLast {...field('until')} />
        <Usd label={names.max_usd} {...field('max_usd')} />
      </div>
    </details>
  );
}

/** Filters in force that do not always have a field in view, such as those of a link. Each can be cleared. */
export function OtherFilters({ filter, field }: FieldsProps & { readonly filter: Query }) {
  const others = (Object.keys(names) as (keyof typeof names)[]).filter((name) => (filter[name] ?? '') !== '');
  if (others.length === 0) return null;
  return (
    <ul className="row chips" aria-label={filters.others}>
      {others.map((name) => (
        <li key={name} className="saved-view">
          <span className="breaking">
            {names[name]}: <Value name={name} value={filter[name] ?? ''} />
          </span>
          <Button
            className="copy"
            aria-label={filters.clear(names[name])}
            onPress={() => {
              // The button goes, and with the last one the list.
              focusHeading();
              field(name).onChange('');
            }}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" />
            </svg>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  const isTime = (name === 'since' || name === 'until') && !Number.isNaN(Date.parse(value));
  return isTime ? <Time iso={value} /> : value;
}

interface SettledProps extends FieldProps {
  readonly label: string;
  /** The filter of a text; undefined: there is none. */
  readonly read: (text: string) => string | undefined;
  /** The text of a filter. */
  readonly show?: (value: string) => string;
  /** Where a text is no filter. */
  readonly problem: string;
  readonly type?: 'text' | 'date';
  readonly inputMode?: 'text' | 'decimal';
}

/** Somebody who types pauses for less. */
const settleMs = 500;
const longest = 256;

/** Filters when the reader has typed it, presses Enter or leaves the field, not at each key. */
function Settled({ label, value, onChange, read, show = (of) => of, problem, type = 'text', inputMode = 'text' }: SettledProps) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly isLeft: boolean }>();
  // A date that is not whole has no text.
  const [isPartial, setPartial] = useState(false);
  const [before, setBefore] = useState(value);
  const [restarts, restart] = useState(0);
  if (value !== before) {
    setBefore(value);
    // The filter was cleared or changed elsewhere. A new input has no part of a date.
    if (isPartial && typed?.isLeft !== false) {
      setPartial(false);
      setTyped(undefined);
      restart(restarts + 1);
    }
  }
  const wanted = isPartial ? undefined : typed === undefined ? value : read(typed.text);
  // Once the reader has left it, the field shows what the address has. Before, a blank may go on to another word.
  if (typed?.isLeft === true && wanted === value) setTyped(undefined);
  const settle = useEffectEvent(() => {
    if (wanted !== undefined && wanted !== value) onChange(wanted);
  });
  useEffect(() => {
    const due = window.setTimeout(settle, settleMs);
    return () => window.clearTimeout(due);
  }, [typed?.text]);
  return (
    <TextField
      className="field"
      type={type}
      value={typed?.text ?? show(value)}
      onChange={(text) => setTyped({ text, isLeft: false })}
      onBlur={() => {
        settle();
        setTyped(typed && { ...typed, isLeft: true });
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') settle();
      }}
      inputMode={inputMode}
      maxLength={longest}
      isInvalid={wanted === undefined}
    >
      <Label>{label}</Label>
      <Input
        key={restarts}
        {...(type === 'date' && { max: '9999-12-31' })}
        onInput={({ currentTarget }) => setPartial(currentTarget.validity.badInput)}
        onBlur={({ currentTarget }) => setPartial(currentTarget.validity.badInput)}
      />
      <FieldError>{problem}</FieldError>
    </TextField>
  );
}

type OwnProps = FieldProps & { readonly label: string };

function Text(props: OwnProps) {
  return <Settled {...props} read={(text) => text.trim()} problem="" />;
}

/** `10,000` is 10000. */
function usdOf(text: string): string | undefined {
  const plain = text.replace(/[,\s$]/g, '');
  return /^([0-9]{1,30}(\.[0-9]{1,18})?)?$/.test(plain) ? plain : undefined;
}

export function Usd(props: OwnProps) {
  return <Settled {...props} read={usdOf} problem={filters.notUsd} inputMode="decimal" />;
}

/** A day of the reader's zone. The filter is its start, or its end: the start of the next day, which the filter leaves out. */
function Day({ isLast = false, ...props }: OwnProps & { readonly isLast?: boolean }) {
  const zone = useZone();
  const read = (text: string): string | undefined => (text === '' ? '' : startOf(text, zone, isLast ? 1 : 0));
  const show = (value: string): string => dayOf(Date.parse(value) - (isLast ? 1 : 0), zone);
  return <Settled {...props} read={read} show={show} problem={filters.notDay} type="date" />;
}
