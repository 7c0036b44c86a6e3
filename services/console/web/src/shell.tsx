import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useRef, useState } from 'react';
import { Button, DialogTrigger, Form, Input, Popover, SearchField } from 'react-aria-components';
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { useSignOut } from './api/changes.ts';
import { useDecisions } from './api/events.ts';
import { findAnything } from './api/find.ts';
import { nearEnd, personOf, session } from './api/queries.ts';
import type { SessionView } from './api/types.ts';
import { Announcements } from './parts/announce.tsx';
import { Modal } from './parts/modal.tsx';
import { switchKeys, useKeyPreference, useKeys } from './parts/row-keys.ts';
import { useView } from './parts/view.ts';
import { switchZone, useZone } from './parts/zone.ts';
import { Problem } from './parts/states.tsx';
import { SignInView, useForgottenAttempts } from './views/sign-in.tsx';
import { words } from './words/en.ts';
import { duration } from './words/format.ts';

/** Around every view. Without a session there is the page to sign in. */
export function Shell() {
  const { data: who, error } = useQuery(session);
  if (who === undefined)
    return error === null ? <p className="muted">{words.states.loading}</p> : <Problem text={words.states.notAnswering} />;
  return who === null ? <SignInView /> : <SignedIn key={personOf(who)} name={who.name} role={who.role} />;
}

function SignedIn({ name, role: given }: { readonly name: string; readonly role: SessionView['role'] }) {
  const role = words.person.roles[given];
  const isLive = useDecisions();
  const search = useRef<HTMLInputElement>(null);
  const [isHelpOpen, openHelp] = useState(false);
  const signOut = useSignOut();
  useForgottenAttempts();
  useView();
  useKeys({ '/': () => search.current?.focus(), '?': () => openHelp(true), u: switchZone });
  const account = <AccountRow person={`${name}, ${role}`} signOut={signOut} />;
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
        <Menu further={furtherOf(given)}>{account}</Menu>
        <Search input={search} />
        <span className={isLive ? 'live on' : 'live'} role="status" title={isLive ? words.live.on : words.live.off}>
          {isLive ? words.live.on : words.live.off}
        </span>
        <Account name={name}>{account}</Account>
      </header>
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<p className="muted">{words.states.loading}</p>}>
          <Outlet />
        </Suspense>
      </main>
      <Announcements />
      <Keys isOpen={isHelpOpen} onChange={openHelp} />
      <SessionWarning />
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
  readonly further: readonly (keyof typeof words.nav)[];
  readonly children: ReactNode;
}

function Menu({ further, children }: MenuProps) {
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
        <nav aria-label={words.nav.more}>
          {links(daily, 'phone')}
          {links(further, '')}
        </nav>
        <div className="phone">{children}</div>
      </Popover>
    </DialogTrigger>
  );
}

/** A phone has the same in its one menu. */
function Account({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <DialogTrigger>
      <Button className="menu account wide" aria-label={`${name}: ${words.person.account}`}>
        <span className="cut">{name}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover menu-list" placement="bottom end">
        {children}
      </Popover>
    </DialogTrigger>
  );
}

function AccountRow({ person, signOut }: { readonly person: string; readonly signOut: ReturnType<typeof useSignOut> }) {
  const zone = useZone();
  const keys = useKeyPreference();
  return (
    <div className="account-row">
      <span className="muted">{person}</span>
      <Button className="small" onPress={switchZone}>
        {words.zone[zone]}
      </Button>
      <Button className="small" onPress={switchKeys}>
        {words.keys.switch[keys]}
      </Button>
      <Button className="small" isDisabled={signOut.isPending} onPress={() => signOut.mutate()}>
        {words.person.signOut}
      </Button>
      {signOut.error !== null && <Problem text={words.person.notSignedOut} />}
    </div>
  );
}

function Search({ input }: { readonly input: React.RefObject<HTMLInputElement | null> }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const find = (wanted: string): void => {
    // A new search asks again: the answer may have changed, and the view may be on screen already.
    void client.resetQueries({ queryKey: findAnything(wanted).queryKey });
    void navigate(`/app/search?q=${encodeURIComponent(wanted)}`);
  };
  return (
    <Form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') find(text.trim());
      }}
    >
      <SearchField aria-label={words.search.label} value={text} onChange={setText}>
        <Input ref={input} placeholder={words.search.placeholder} maxLength={512} />
      </SearchField>
    </Form>
  );
}

/**
 * Warns a person two minutes before their session ends: one without use, which the button's request prolongs, or one at its longest time, which
 * nothing does.
 */
function SessionWarning() {
  const { data: who, refetch } = useQuery(session);
  const [known, setKnown] = useState<string | null>(null);
  const end = who == null ? undefined : nearEnd(who);
  if (end === undefined || (end.is === 'absolute' && known === who?.ends_at)) return null;
  const texts = words.sessionEnd[end.is];
  const close = (): void => {
    if (end.is === 'absolute') setKnown(who?.ends_at ?? null);
    else void refetch();
  };
  return (
    <Modal title={texts.title} onClose={close}>
      <p>{texts.text(duration(end.leftMs / 1_000))}</p>
      <Button autoFocus className="primary" onPress={close}>
        {texts.close}
      </Button>
    </Modal>
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
      <p className="muted">{words.keys.hint}</p>
      <Button slot="close">{words.keys.close}</Button>
    </Modal>
  );
}
