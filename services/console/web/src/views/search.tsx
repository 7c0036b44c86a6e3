import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearchParams } from 'react-router';
import { findAnything } from '../api/find.ts';
import { Section } from '../parts/basics.tsx';
import { casePath, screeningColumns } from '../parts/columns.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';

export function SearchView() {
  const [given] = useSearchParams();
  const text = given.get('q')?.trim() ?? '';
  const read = useQuery(findAnything(text));
  return (
    <Loaded read={read}>
      {({ screenings, customer, caseId, eventId, address, isAddress, isPartial }) => {
        const [only] = screenings;
        if (caseId !== null) return <Navigate to={`/app/cases/${caseId}`} replace />;
        if (eventId !== null && screenings.length === 0) return <Navigate to={`/app/audit/${eventId}`} replace />;
        if (customer === null && screenings.length === 0)
          return isAddress ? (
            <Navigate to={`/app/addresses/${encodeURIComponent(text)}`} replace />
          ) : (
            <>
              <h1>{isPartial ? words.search.matches : words.search.nothing(text)}</h1>
              {isPartial && <Problem text={words.search.partial} />}
            </>
          );
        if (customer === null && address === null && screenings.length === 1 && only !== undefined)
          return <Navigate to={casePath(only)} replace />;
        if (customer === null && address !== null) return <Navigate to={`/app/addresses/${encodeURIComponent(address.address)}`} replace />;
        if (customer !== null && screenings.length === 0 && !isAddress && address === null && !isPartial)
          return <Navigate to={`/app/customers/${encodeURIComponent(customer.user_id)}`} replace />;
        return (
          <>
            <h1>{words.search.matches}</h1>
            {customer !== null && (
              <Section title={words.search.customer}>
                <Link to={`/app/customers/${encodeURIComponent(customer.user_id)}`}>{customer.user_id}</Link>
              </Section>
            )}
            {(isAddress || address !== null) && (
              <Section title={words.address.title}>
                <Link to={`/app/addresses/${encodeURIComponent(text)}`}>{text}</Link>
              </Section>
            )}
            {screenings.length > 0 && (
              <Table
                label={words.search.matches}
                rows={screenings}
                columns={screeningColumns}
                none={words.screenings.none}
                pathOf={casePath}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
