import { useQuery } from '@tanstack/react-query';
import { Suspense, useRef, useState } from 'react';
import { Button, Dialog, DialogTrigger, Form, Input, Popover, SearchField } from 'react-aria-components';
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { useSignOut } from './api/changes.ts';
import { useDecisions } from './api/events.ts';
import { session } from './api/queries.ts';
import type { SessionView } from './api/types.ts';
import { Modal } from './parts/modal.tsx';
import { useKeys } from './parts/row-keys.ts';
import { Problem } from './parts/states.tsx';
import { SignInView } from './views/sign-in.tsx';
import { words } from './words/en.ts';

/** Around every view. Without a session there is the page to sign in. */
export function Shell() {
  const { data: who, error } = useQuery(session);
  if (who === undefined) return error === null ? <p className="muted">{words.states.loading}</p> : <Problem text={words.states.stale} />;
  return who === null ? <SignInView /> : <SignedIn name={who.name} role={who.role} />;
}

function SignedIn({ name, role: given }: { readonly name: string; readonly role: SessionView['role'] }) {
  const role = words.person.roles[given];
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
        <nav aria-label={words.nav.label} className="wide">
          {daily.map((view) => (
            <NavLink key={view} to={`/app/${view}`}>
              {words.nav[view]}
            </NavLink>
          ))}
        </nav>
        <Menu person={`${name}, ${role}`} further={furtherOf(given)} onSignOut={() => signOut.mutate()} />
        <Search input={search} />
        <span className={isLive ? 'live on' : 'live'} role="status" title={isLive ? words.live.on : words.live.off}>
          {isLive ? words.live.on : words.live.off}
        </span>
        <span className="person wide">
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

/** The views that are open all day stand in the header; on a phone the menu has them, too. */
const daily = ['now', 'reviews', 'cases', 'screenings', 'statistics'] as const;
const furtherOfAll = ['policy', 'labels', 'providers', 'audit', 'webhooks'] as const;
/** The server refuses them to other roles. */
const operators: readonly SessionView['role'][] = ['auditor', 'admin'];

function furtherOf(role: SessionView['role']): readonly (keyof typeof words.nav)[] {
  return operators.includes(role) ? [...furtherOfAll, 'dead-letters', 'administration'] : furtherOfAll;
}

interface MenuProps {
  readonly person: string;
  readonly further: readonly (keyof typeof words.nav)[];
  readonly onSignOut: () => void;
}

function Menu({ person, further, onSignOut }: MenuProps) {
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  const links = (names: readonly (keyof typeof words.nav)[], className: string) => (
    <ul className={className}>
      {names.map((name) => (
        <li key={name}>
          <NavLink to={`/app/${name}`}>{words.nav[name]}</NavLink>
        </li>
      ))}
    </ul>
  );
  return (
    <DialogTrigger isOpen={openAt === pathname} onOpenChange={(isOpen) => setOpenAt(isOpen ? pathname : undefined)}>
      <Button className={further.some((name) => pathname.startsWith(`/app/${name}`)) ? 'menu active' : 'menu'}>
        <span className="wide">{words.nav.more}</span>
        <span className="phone">{words.nav.menu}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover menu-list" placement="bottom end">
        <Dialog aria-label={words.nav.more}>
          <nav aria-label={words.nav.more}>
            {links(daily, 'phone')}
            {links(further, '')}
          </nav>
          <p className="phone row">
            <span className="muted">{person}</span>
            <Button className="small" onPress={onSignOut}>
              {words.person.signOut}
            </Button>
          </p>
        </Dialog>
      </Popover>
    </DialogTrigger>
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
    <Modal title={words.keys.title} isOpen={isOpen} onClose={() => onChange(false)}>
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
    </Modal>
  );
}
