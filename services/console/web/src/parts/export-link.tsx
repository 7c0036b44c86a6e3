import type { Query } from '../api/queries.ts';
import { withQuery } from '../api/request.ts';
import { words } from '../words/en.ts';

/** What a list shows, as a file. */
export function ExportLink({ list, filter }: { readonly list: 'screenings' | 'reviews' | 'cases'; readonly filter: Query }) {
  return (
    <p className="row">
      <a href={withQuery(`/v1/exports/${list}`, filter)} download>
        {words.exportCsv}
      </a>
      <span className="muted">{words.exportHint}</span>
    </p>
  );
}
