import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { assignees, session } from '../api/queries.ts';
import { words } from '../words/en.ts';
import { Modal } from './modal.tsx';
import { PendingButton } from './pending-button.tsx';

const { assignment: text } = words;

/** With who has it as far as the page knows: of two people who take it at once, the second is told. */
export interface AssignmentBody {
  readonly assignee: string | null;
  readonly expected_assignee: string | null;
}

interface Props {
  readonly assignee: string | null;
  readonly change: Pick<UseMutationResult<unknown, Error, AssignmentBody>, 'mutate' | 'isPending'>;
}

/** Takes a review or a case, releases it, or hands it to another person. Somebody else's is not taken away by one press. */
export function Assignment({ assignee, change }: Props) {
  const { data: who } = useQuery(session);
  const { data: known } = useQuery(assignees);
  const [asked, ask] = useState<{ readonly to: string | null }>();
  const give = (to: string | null): void => {
    ask(undefined);
    change.mutate({ assignee: to, expected_assignee: assignee });
  };
  const place = useRef<HTMLSpanElement>(null);
  const hasActed = useRef(false);
  const isOver = asked === undefined && !change.isPending;
  // A menu and a question take the focus with them.
  useEffect(() => {
    if (!isOver || !hasActed.current || document.activeElement !== document.body) return;
    hasActed.current = false;
    place.current?.querySelector('button')?.focus();
  }, [isOver]);
  if (who == null) return null;
  const isOwn = assignee === who.name;
  const choose = (to: string | null): void => {
    hasActed.current = true;
    if (assignee === null || isOwn) give(to);
    else ask({ to });
  };
  const names = [who.name, ...(known?.items ?? []).map(({ name }) => name).filter((name) => name !== who.name)];
  return (
    <span ref={place}>
      <PendingButton className="small" isPending={change.isPending} onPress={() => choose(isOwn ? null : who.name)}>
        {isOwn ? words.case.release : words.case.take}
      </PendingButton>{' '}
      <MenuTrigger>
        <PendingButton className="small" isPending={change.isPending}>
          {text.choose}
        </PendingButton>
        <Popover className="popover">
          {/* No id may be empty, and any word may be the name of a person. */}
          <Menu aria-label={text.choose} onAction={(key) => choose(key === 'none' ? null : String(key).slice(1))}>
            {names
              .filter((name) => name !== assignee)
              .map((name) => (
                <MenuItem key={name} id={`=${name}`} className="option">
                  {name}
                </MenuItem>
              ))}
            {assignee !== null && (
              <MenuItem id="none" className="option">
                {words.filters.nobody}
              </MenuItem>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      {asked !== undefined && (
        <Modal title={text.title(assignee ?? '')} onClose={() => ask(undefined)}>
          <p>{text.question(assignee ?? '', asked.to ?? words.case.nobody)}</p>
          <p className="row">
            <Button className="primary" autoFocus onPress={() => give(asked.to)}>
              {text.confirm}
            </Button>
            <Button onPress={() => ask(undefined)}>{words.resolve.cancel}</Button>
          </p>
        </Modal>
      )}
    </span>
  );
}
