import type { UseQueryResult } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense, useEffect } from 'react';
import { Button } from 'react-aria-components';
import { useRouteError } from 'react-router';
import { ApiError, retryMs } from '../api/request.ts';
import { words } from '../words/en.ts';

type Read<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;

/**
 * Shows the data that was read. The page says so while it loads, when it fails, and when the back end has gone away since. `missing`: the
 * heading where there is no such thing; a failure has one then, too.
 */
export function Loaded<T>({
  read,
  missing,
  children,
}: {
  readonly read: Read<T>;
  readonly missing?: string;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, refetch } = read;
  if (data !== undefined) {
    return (
      <>
        {error !== null && <Problem text={staleWords(error)} />}
        {children(data)}
      </>
    );
  }
  if (error === null) return <p className="muted">{words.states.loading}</p>;
  if (missing !== undefined && error instanceof ApiError && error.status === 404) return <h1>{missing}</h1>;
  return (
    <div role="alert" className="problem">
      {missing === undefined ? <strong>{words.states.failed}</strong> : <h1>{words.states.failed}</h1>}
      <p>{error.message}</p>
      <Button onPress={() => void refetch()}>{words.states.retry}</Button>
    </div>
  );
}

/** Why what is shown is not what Weir says now. */
function staleWords(error: Error): string {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 401 || status === 403) return words.states.refusedNow;
  if (status === 429) return words.states.tooMany;
  return status === 0 ? words.states.stale : words.states.failing;
}

export function Problem({ text }: { readonly text: string }) {
  return (
    <p role="alert" className="problem">
      {text}
    </p>
  );
}

const reloadEveryMs = 600_000;
const reloaded = 'weir.reloaded';

/** A page that has loaded itself and is broken again waits for its reader for this time: each load counts as a use of the session. */
export function allowReloadLater(): void {
  window.setTimeout(() => sessionStorage.removeItem(reloaded), reloadEveryMs);
}

/** Browsers have words of their own for a module that could not be loaded. */
const isLoadError = (error: unknown): boolean => error instanceof TypeError && /module/i.test(error.message);

/** Loads the page again once Weir answers: browsers keep that a file could not be loaded. */
async function reloadIfUp(): Promise<void> {
  const answer = await fetch('/healthz', { signal: AbortSignal.timeout(retryMs) }).catch(() => undefined);
  if (answer?.ok !== true) return;
  sessionStorage.setItem(reloaded, 'yes');
  location.reload();
}

/** In place of a view that failed, such as one whose files cannot be loaded: Weir is away, or a new version has taken its place. */
export function Broken() {
  const isAway = isLoadError(useRouteError());
  useEffect(() => {
    if (!isAway || sessionStorage.getItem(reloaded) !== null) return undefined;
    const timer = window.setInterval(() => void reloadIfUp(), retryMs);
    return () => window.clearInterval(timer);
  }, [isAway]);
  return (
    <div role="alert" className="problem">
      <h1>{words.states.broken}</h1>
      <Button onPress={() => void reloadIfUp()}>{words.states.reload}</Button>
    </div>
  );
}

/** A part of a view with files of its own. Where they cannot be loaded, the rest of the view stays. */
export class LazyPart extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return <Suspense fallback={<p className="muted">{words.states.loading}</p>}>{this.props.children}</Suspense>;
    return (
      <div role="alert" className="problem">
        <p>{words.states.partBroken}</p>
        <Button onPress={() => void reloadIfUp()}>{words.states.reload}</Button>
      </div>
    );
  }
}
