import { useEffect, useState } from 'react';
import { Button, Form, Input, Label, TextField } from 'react-aria-components';
import { useSignIn } from '../api/changes.ts';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';

/** A link carries its secret behind `#`, which browsers send nowhere. It leaves the address at once. */
function takeLink(): string | undefined {
  const link = new URLSearchParams(location.hash.slice(1)).get('sign-in') ?? undefined;
  if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return link;
}

const link = takeLink();

/** Whether people sign in at an OIDC provider's page. */
const hasProvider = document.querySelector<HTMLMetaElement>('meta[name=sign-in]')?.content === 'provider';

function refusal(): string | undefined {
  const why = new URLSearchParams(location.search).get('sign-in');
  return Object.entries(words.signIn.refusals).find(([known]) => known === why)?.[1];
}

export function SignInView() {
  const [token, setToken] = useState('');
  const signIn = useSignIn();
  const { mutate } = signIn;
  useEffect(() => {
    if (link !== undefined) mutate({ link });
  }, [mutate]);
  return (
    <main className="sign-in card">
      <h1>{words.signIn.title}</h1>
      {refusal() !== undefined && <Problem text={refusal() ?? ''} />}
      {hasProvider && (
        <p>
          <a className="button primary" href="/sign-in">
            {words.signIn.provider}
          </a>
        </p>
      )}
      {signIn.isPending && link !== undefined && token === '' && <p>{words.signIn.link}</p>}
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
