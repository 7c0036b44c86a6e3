import { queryOptions } from '@tanstack/react-query';
import { readChains } from './analyses.ts';
import { ApiError, request, withQuery } from './request.ts';
import type { AddressView, Page, ScreeningView, UserView } from './types.ts';

export interface Found {
  readonly screenings: readonly ScreeningView[];
  readonly customer: UserView | null;
  readonly address: AddressView | null;
  /** Whether the text can be an address, whatever is known of it. */
  readonly isAddress: boolean;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A text may be any of these; each question reads an index. */
const parameters = ['address', 'txid', 'source_id', 'subject'] as const;

/** Finds an address, a transaction, or the id of a transfer, a screening or a customer. */
export const findAnything = (text: string) =>
  queryOptions({
    queryKey: ['screenings', 'find', text],
    queryFn: async ({ signal }): Promise<Found> => {
      if (text === '') return { screenings: [], customer: null, address: null, isAddress: false };
      const absent = (status: number) => (error: unknown) => {
        if (error instanceof ApiError && error.status === status) return null;
        throw error;
      };
      const [one, customer, address, chains, ...pages] = await Promise.all([
        uuid.test(text) ? request<ScreeningView>(`/v1/screenings/${text}`, { signal }).catch(absent(404)) : null,
        request<UserView>(`/v1/users/${encodeURIComponent(text)}`, { signal }).catch(absent(404)),
        request<AddressView>(`/v1/addresses/${encodeURIComponent(text)}`, { signal }).catch(absent(404)),
        // Anybody's address may be asked about. Where scoring is away, known ones are found.
        readChains(text, signal).catch(() => []),
        ...parameters.map((name) =>
          request<Page<ScreeningView>>(withQuery('/v1/screenings', { [name]: text, limit: '100' }), { signal }).catch(absent(400)),
        ),
      ]);
      const all = [...(one === null ? [] : [one]), ...pages.flatMap((page) => page?.items ?? [])];
      return {
        screenings: [...new Map(all.map((row) => [row.screening_id, row])).values()],
        customer,
        address,
        isAddress: chains.length > 0,
      };
    },
  });
