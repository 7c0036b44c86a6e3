import { useQuery } from '@tanstack/react-query';
import { Suspense, useRef, useState } from 'react';
import { Button, Dialog, Form, Heading, Input, Modal, ModalOverlay, SearchField } from 'react-aria-components';
import { NavLink, Outlet, useNavigate } from 'react-router';
import { useSignOut } from './api/changes.ts';
import { useDecisions } from './api/events.ts';
import { session } from './api/queries.ts';
import { useKeys } from './parts/row-keys.ts';
import { Problem } from './parts/states.tsx';
import { SignInView } from './views/sign-in.tsx';
import { words } from './words/en.ts';

/** Around every view. Without a session there is the page to sign in. */
export function Shell() {
  const { data: who, error } = useQuery(session);
  if (who === undefined) return error === null ? <p className="muted">{words.states.loading}</p> : <Problem text={words.states.stale} />;
  return who === null ? <SignInView /> : <SignedIn name={who.name} role={words.person.roles[who.role]} />;
}

function SignedIn({ name, role }: { readonly name: string; readonly role: string }) {
  const isLive = useDecisions();
  const search = useRef<HTMLInputElement>(null);
  const [isHelpOpen, openHelp] = useState(false);
  const signOut = useSignOut();
  useKeys({ '/': () => search.current?.focus(), '?': () => openHelp(true) });
  return (
    <>
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <header className="top">
        <NavLink to="/app/now" className="product">
          {words.product}
        </NavLink>
        <nav aria-label={words.nav.label}>
          <NavLink to="/app/now">{words.nav.now}</NavLink>
          <NavLink to="/app/reviews">{words.nav.reviews}</NavLink>
          <NavLink to="/app/cases">{words.nav.cases}</NavLink>
          <NavLink to="/app/screenings">{words.nav.screenings}</NavLink>
          <NavLink to="/app/statistics">{words.nav.statistics}</NavLink>
          <NavLink to="/app/policy">{words.nav.policy}</NavLink>
          <NavLink to="/app/webhooks">{words.nav.webhooks}</NavLink>
          <NavLink to="/app/audit">{words.nav.audit}</NavLink>
        </nav>
        <Search input={search} />
        <span className={isLive ? 'live on' : 'live'} role="status" title={isLive ? words.live.on : words.live.off}>
          {isLive ? words.live.on : words.live.off}
        </span>
        <span className="person">
          {name} <span className="muted">{role}</span>
          <Button className="small" onPress={() => signOut.mutate()}>
            {words.person.signOut}
          </Button>
        </span>
      </header>
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<p className="muted">{words.states.loading}</p>}>
          <Outlet />
        </Suspense>
      </main>
      <Keys isOpen={isHelpOpen} onChange={openHelp} />
    </>
  );
}

function Search({ input }: { readonly input: React.RefObject<HTMLInputElement | null> }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  return (
    <Form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') void navigate(`/app/search?q=${encodeURIComponent(text.trim())}`);
      }}
    >
      <SearchField aria-label={words.search.label} value={text} onChange={setText}>
        <Input ref={input} placeholder={words.search.placeholder} maxLength={512} />
      </SearchField>
    </Form>
  );
}

function Keys({ isOpen, onChange }: { readonly isOpen: boolean; readonly onChange: (isOpen: boolean) => void }) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={onChange} isDismissable>
      <Modal className="card">
        <Dialog>
          <Heading slot="title">{words.keys.title}</Heading>
          <dl className="facts">
            {words.keys.rows.map(([key, text]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <Button slot="close">{words.keys.close}</Button>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
