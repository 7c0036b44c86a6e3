import { useEffect, useState } from 'react';
import { Button, Form, Input, Label, TextField } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { useSignIn } from '../api/changes.ts';
import { Problem } from '../parts/states.tsx';
import { useTitle } from '../parts/view.ts';
import { words } from '../words/en.ts';

/** A link carries its secret behind `#`, which browsers send nowhere. It leaves the address at once. */
function takeLink(): string | undefined {
  const link = new URLSearchParams(location.hash.slice(1)).get('sign-in') ?? undefined;
  if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return link;
}

let unused = takeLink();

/** Somebody is signed in: a link that was not needed must not sign in whoever comes after them. */
function forgetLink(): void {
  unused = undefined;
}

/** Of somebody who is signed in. A refusal of before leaves the address. */
export function useForgottenAttempts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    forgetLink();
    if (refusal() !== undefined) void navigate(cameTo(), { replace: true });
  }, [navigate]);
}

/** Whether people sign in at an OIDC provider's page. */
const hasProvider = document.querySelector<HTMLMetaElement>('meta[name=sign-in]')?.content === 'provider';

function refusal(): string | undefined {
  const why = new URLSearchParams(location.search).get('sign-in');
  return Object.entries(words.signIn.refusals).find(([known]) => known === why)?.[1];
}

/** Where the person wanted to go, without what a refused sign-in added. */
function cameTo(): string {
  const query = new URLSearchParams(location.search);
  query.delete('sign-in');
  return query.size === 0 ? location.pathname : `${location.pathname}?${query.toString()}`;
}

export function SignInView() {
  const [token, setToken] = useState('');
  const signIn = useSignIn();
  const { mutate } = signIn;
  useTitle(words.signIn.title);
  useEffect(() => {
    const link = unused;
    forgetLink();
    if (link !== undefined) mutate({ link });
  }, [mutate]);
  return (
    <main className="sign-in card">
      <h1>{words.signIn.title}</h1>
      {refusal() !== undefined && <Problem text={refusal() ?? ''} />}
      {hasProvider && (
        <p>
          <a className="button primary" href={`/sign-in?to=${encodeURIComponent(cameTo())}`}>
            {words.signIn.provider}
          </a>
        </p>
      )}
      {signIn.isPending && 'link' in signIn.variables && <p>{words.signIn.link}</p>}
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate({ token: token.trim() });
        }}
      >
        <TextField className="field" type="password" value={token} onChange={setToken} isRequired autoFocus>
          <Label>{words.signIn.token}</Label>
          <Input autoComplete="off" spellCheck="false" />
        </TextField>
        <small className="muted">{words.signIn.hint}</small>
        {signIn.error !== null && <Problem text={signIn.error.message} />}
        <Button type="submit" className="primary" isDisabled={signIn.isPending}>
          {words.signIn.submit}
        </Button>
      </Form>
    </main>
  );
}
