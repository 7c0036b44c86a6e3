import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Link } from 'react-router';
import { useSavedView } from '../api/changes.ts';
import { type Query, savedViews } from '../api/queries.ts';
import type { SavedView } from '../api/types.ts';
import { ShortText } from '../parts/fields.tsx';
import { Modal } from '../parts/modal.tsx';
import { Problem } from '../parts/states.tsx';
import { focusHeading } from '../parts/view.ts';
import { words } from '../words/en.ts';

const { saved: text } = words;

interface SavedViewsProps {
  readonly list: SavedView['list'];
  /** As the address has it. */
  readonly filter: Query;
}

/** The reader's own filters of a list, by name, and a button that keeps the present one. */
export function SavedViews({ list, filter }: SavedViewsProps) {
  const read = useQuery(savedViews);
  const [isAsking, ask] = useState(false);
  const change = useSavedView(list);
  const place = useRef<HTMLDivElement>(null);
  const rows = (read.data?.items ?? []).filter((view) => view.list === list);
  const kept = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')) as SavedView['filter'];
  const isEmpty = Object.keys(kept).length === 0;
  if (rows.length === 0 && isEmpty) return null;
  return (
    <div ref={place} tabIndex={-1} className="row saved" role="group" aria-label={text.label}>
      {rows.map(({ name, filter: own }) => (
        <span key={name} className="saved-view">
          <Link to={`/app/${list}?${new URLSearchParams(own).toString()}`}>{name}</Link>
          <Button
            className="copy"
            aria-label={text.remove(name)}
            onPress={() => {
              // The button goes, and with the last one all of it.
              if (rows.length === 1 && isEmpty) focusHeading();
              else place.current?.focus();
              change.mutate({ name, filter: null });
            }}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" />
            </svg>
          </Button>
        </span>
      ))}
      {!isEmpty && (
        <Button className="small" onPress={() => ask(true)}>
          {text.save}
        </Button>
      )}
      {change.error !== null && !isAsking && <Problem text={change.error.message} />}
      {isAsking && <Ask list={list} filter={kept} taken={rows.map(({ name }) => name)} onClose={() => ask(false)} />}
    </div>
  );
}

function Ask({
  list,
  filter,
  taken,
  onClose,
}: {
  readonly list: SavedView['list'];
  readonly filter: SavedView['filter'];
  /** Names of views of this list. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const change = useSavedView(list);
  const wanted = name.trim();
  const isTaken = taken.includes(wanted);
  // A browser takes them for steps in the path.
  const isBad = wanted === '.' || wanted === '..';
  return (
    <Modal title={text.save} onClose={onClose} isDismissable={name === ''}>
      <p className="muted">{text.hint}</p>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ name: wanted, filter }, { onSuccess: onClose });
        }}
      >
        <ShortText label={text.name} value={name} onChange={setName} isRequired />
        {isTaken && <p role="status">{text.replaces}</p>}
        {isBad && <Problem text={text.badName} />}
        {change.error !== null && <Problem text={change.error.message} />}
        <p className="row">
          <Button type="submit" className="primary" isDisabled={change.isPending || wanted === '' || isBad}>
            {isTaken ? text.replace : text.keep}
          </Button>
          <Button onPress={onClose}>{text.cancel}</Button>
        </p>
      </Form>
    </Modal>
  );
}
