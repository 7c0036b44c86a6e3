import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { isShort } from '../api/queries.ts';
import { focusHeading } from './view.ts';
import { words } from '../words/en.ts';

interface Props {
  readonly pages: readonly unknown[];
  readonly queryKey: QueryKey;
}

/** Above a list of so many pages that it is not read again by itself: says so, and reads it again from its beginning. */
export function LongList({ pages, queryKey }: Props) {
  const client = useQueryClient();
  if (isShort({ pages })) return null;
  return (
    <p className="row muted">
      {words.states.old}
      <Button
        className="small"
        onPress={() => {
          // The button goes while the list is read.
          focusHeading();
          void client.resetQueries({ queryKey });
        }}
      >
        {words.states.readAgain}
      </Button>
    </p>
  );
}
