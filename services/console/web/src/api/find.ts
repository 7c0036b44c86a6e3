import { queryOptions } from '@tanstack/react-query';
import { readChains } from './analyses.ts';
import { ApiError, request, unlessStatus, withQuery } from './request.ts';
import type { AddressView, AuditEntryView, CaseDetail, Page, ScreeningView, UserView } from './types.ts';

export interface Found {
  readonly screenings: readonly ScreeningView[];
  readonly customer: UserView | null;
  /** Of a case with this id. */
  readonly caseId: string | null;
  /** Of an event of the audit log with this id. */
  readonly eventId: string | null;
  readonly address: AddressView | null;
  /** Whether the text can be an address, whatever is known of it. */
  readonly isAddress: boolean;
  /** A part that was asked did not answer. */
  readonly isPartial: boolean;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A text may be any of these; each question reads an index. */
const parameters = ['address', 'txid', 'source_id', 'subject'] as const;

/** Finds an address, a transaction, or the id of a transfer, a screening, a customer, a case or an event. */
export const findAnything = (text: string) =>
  queryOptions({
    queryKey: ['screenings', 'find', text],
    queryFn: async ({ signal }): Promise<Found> => {
      if (text === '')
        return { screenings: [], customer: null, caseId: null, eventId: null, address: null, isAddress: false, isPartial: false };
      let isPartial = false;
      // Where a part is away, all else is found.
      const unlessAway = (error: unknown): null => {
        isPartial ||= !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
        return null;
      };
      const [one, found, event, customer, address, chains, ...pages] = await Promise.all([
        uuid.test(text) ? request<ScreeningView>(`/v1/screenings/${text}`, { signal }).catch(unlessStatus(404)) : null,
        uuid.test(text) ? request<CaseDetail>(`/v1/cases/${text}`, { signal }).catch(unlessStatus(404)) : null,
        uuid.test(text) ? request<AuditEntryView>(`/v1/audit/entries/${text}`, { signal }).catch(unlessAway) : null,
        request<UserView>(`/v1/users/${encodeURIComponent(text)}`, { signal }).catch(unlessStatus(404)),
        request<AddressView>(`/v1/addresses/${encodeURIComponent(text)}`, { signal }).catch(unlessStatus(404)),
        // Anybody's address may be asked about.
        readChains(text, signal).catch(unlessAway),
        ...parameters.map((name) =>
          request<Page<ScreeningView>>(withQuery('/v1/screenings', { [name]: text, limit: '100' }), { signal }).catch(unlessStatus(400)),
        ),
      ]);
      const all = [...(one === null ? [] : [one]), ...pages.flatMap((page) => page?.items ?? [])];
      return {
        screenings: [...new Map(all.map((row) => [row.screening_id, row])).values()],
        customer,
        caseId: found?.case_id ?? null,
        eventId: event === null ? null : text,
        address,
        isAddress: (chains ?? []).length > 0,
        isPartial,
      };
    },
  });
