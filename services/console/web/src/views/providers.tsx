import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { providers } from '../api/queries.ts';
import type { ProvidersView as Providers } from '../api/types.ts';
import { Facts, Section, Time } from '../parts/basics.tsx';
import { midnightBefore, useDaysChoice } from '../parts/days-choice.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { percent, whole } from '../words/format.ts';

const { providers: text } = words;

export function ProvidersView() {
  const { days, choice } = useDaysChoice(text.range, text.ranges);
  const since = midnightBefore(days - 1);
  const read = useQuery(providers(since));
  return (
    <>
      <h1>{text.title}</h1>
      {choice}
      <Loaded read={read}>
        {(data) => (
          <>
            <Section title={text.asked}>
              <SmallTable
                label={text.asked}
                rows={data.items}
                keyOf={({ role }) => role}
                columns={[
                  { name: text.name, cell: ({ name }) => <span className="breaking">{name}</span> },
                  { name: text.role, cell: ({ role }) => text.roles[role] },
                  { name: text.kind, cell: ({ kind }) => text.kinds[kind] },
                ]}
              />
            </Section>
            {data.compared + data.unanswered === 0 ? <p className="muted">{text.none}</p> : <Agreement data={data} since={since} />}
          </>
        )}
      </Loaded>
    </>
  );
}

type Compared = Providers['disagreements'][number]['first'];

interface AgreementProps {
  readonly data: Providers;
  readonly since: string;
}

function Agreement({ data, since }: AgreementProps) {
  const { compared, unanswered, same_level: same, levels, categories, disagreements } = data;
  return (
    <>
      <div className="columns">
        <Section title={text.agreement}>
          <Facts
            rows={[
              [text.compared, whole(compared)],
              [text.same, compared === 0 ? null : `${whole(same)} (${percent((100 * same) / compared)})`],
              [text.unanswered, whole(unanswered)],
            ]}
          />
          <SmallTable
            label={text.levels}
            none={text.none}
            rows={levels}
            keyOf={({ first, second }) => `${first} ${second}`}
            columns={[
              { name: text.first, cell: ({ first }) => standing(first) },
              { name: text.second, cell: ({ second }) => standing(second) },
              { name: text.results, cell: ({ count }) => whole(count), isNumber: true },
            ]}
          />
          {levels.length > 0 && <ExportLink list="provider-levels" filter={{ since }} />}
        </Section>
        <Section title={text.categories}>
          <SmallTable
            label={text.categories}
            none={text.noCategories}
            rows={categories}
            keyOf={({ category }) => category}
            columns={[
              { name: text.category, cell: ({ category }) => words.riskType(category) },
              { name: text.both, cell: ({ both }) => whole(both), isNumber: true },
              { name: text.firstOnly, cell: ({ first_only: count }) => whole(count), isNumber: true },
              { name: text.secondOnly, cell: ({ second_only: count }) => whole(count), isNumber: true },
            ]}
          />
          {categories.length > 0 && <ExportLink list="provider-categories" filter={{ since }} />}
        </Section>
      </div>
      <Section title={text.disagreements}>
        <SmallTable
          label={text.disagreements}
          none={text.noDisagreements}
          rows={disagreements}
          keyOf={({ screening_id: id, asked_at: at }) => `${id} ${at}`}
          columns={[
            {
              name: text.when,
              cell: ({ screening_id: id, asked_at: at }) => (
                <Link to={`/app/screenings/${id}`}>
                  <Time iso={at} />
                </Link>
              ),
            },
            { name: text.first, cell: ({ first }) => inWords(first) },
            { name: text.second, cell: ({ second }) => inWords(second) },
          ]}
        />
        {disagreements.length > 0 && <ExportLink list="provider-disagreements" filter={{ since }} />}
      </Section>
    </>
  );
}

const names: Readonly<Record<string, string>> = { ...words.levels, ...words.outcomes };
const standing = (of: string): string => names[of] ?? of;

function inWords({ standing: of, score, categories }: Compared): string {
  const title = score === null ? standing(of) : `${standing(of)} ${score}`;
  return categories.length === 0 ? title : `${title}: ${categories.map(words.riskType).join(', ')}`;
}
