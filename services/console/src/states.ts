const kinds = ['deposit', 'withdrawal'] as const;
const levels = [null, 'Low', 'Moderate', 'High', 'Severe'] as const;
/** By the latest revision. */
const standings = ['open', 'review', 'allow', 'block', 'allow_by_people', 'block_by_people'] as const;
export type Standing = (typeof standings)[number];

/** Which screenings a list has by the filters that have few values. Undefined: each. */
export interface States {
  readonly kind?: string | undefined;
  readonly level?: string | undefined;
  readonly standings?: readonly Standing[] | undefined;
}

/**
 * Kind, level and standing as one number below 60. Each index has it behind its own key and before the time, so that a list by key, kind,
 * level and action is the first rows of a few ranges.
 */
export function statesOf({ kind, level, standings: wanted }: States): number[] {
  return kinds.flatMap((eachKind, k) =>
    levels.flatMap((eachLevel, l) =>
      standings.flatMap((standing, s) =>
        (kind ?? eachKind) === eachKind && (level ?? eachLevel) === eachLevel && (wanted === undefined || wanted.includes(standing))
          ? [(k * levels.length + l) * standings.length + s]
          : [],
      ),
    ),
  );
}

/** Standings whose latest action is this one. */
export function standingsOf(action: string): Standing[] {
  return standings.filter((standing) => standing === action || standing === `${action}_by_people`);
}

/** The same in SQL. */
export const stateFunction = `
      CREATE FUNCTION console.state(kind text, level text, action text, is_by_people boolean) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN (CASE kind WHEN 'deposit' THEN 0 ELSE 30 END
          + CASE level WHEN 'Low' THEN 6 WHEN 'Moderate' THEN 12 WHEN 'High' THEN 18 WHEN 'Severe' THEN 24 ELSE 0 END
          + CASE action WHEN 'review' THEN 1 WHEN 'allow' THEN CASE WHEN is_by_people THEN 4 ELSE 2 END
              WHEN 'block' THEN CASE WHEN is_by_people THEN 5 ELSE 3 END ELSE 0 END)::smallint;
`;

/** Of a row of `console.screenings`, as the indexes have it. */
export const state = "console.state(kind, level, action, decisions -> revision::text ->> 'resolution_id' IS NOT NULL)";
