import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Link } from 'react-router';
import { groupRoles, liveSessions, people, session, settings, tokens } from '../api/queries.ts';
import { type Asked, request } from '../api/request.ts';
import type { LiveSessionView, ProcessSettingsView, TokenView } from '../api/types.ts';
import { announce, focusAfterAct } from '../parts/announce.tsx';
import { Badge, Section, Time } from '../parts/basics.tsx';
import { LongText } from '../parts/fields.tsx';
import { Modal } from '../parts/modal.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { settingMeanings } from '../generated/settings.ts';
import { words } from '../words/en.ts';
import { whole } from '../words/format.ts';

const { administration: text } = words;
const roles = Object.keys(text.duties) as (keyof typeof text.duties)[];

export function AdministrationView() {
  const isAdmin = useQuery(session).data?.role === 'admin';
  return (
    <>
      <h1>{text.title}</h1>
      <People />
      <Tokens isAdmin={isAdmin} />
      <Sessions isAdmin={isAdmin} />
      <Section title={text.roles}>
        <p className="muted">{text.rolesHint}</p>
        <SmallTable
          label={text.roles}
          rows={roles}
          keyOf={(role) => role}
          columns={[
            { name: text.role, cell: (role) => text.roleNames[role] },
            { name: text.may, cell: (role) => text.duties[role] },
          ]}
        />
      </Section>
      <Groups />
      <SettingsInForce />
    </>
  );
}

const named = ({ name, is_own: isOwn }: Pick<TokenView, 'name' | 'is_own'>) => (
  <span className="breaking">
    {name} {isOwn && <Badge tone="low">{text.yours}</Badge>}
  </span>
);

function People() {
  const read = useQuery(people);
  return (
    <Section title={text.people} aside={<Link to="/app/audit">{text.actsLink}</Link>}>
      <p className="muted">{text.peopleHint}</p>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={text.people}
            none={text.noPeople}
            file="people"
            rows={items}
            keyOf={({ person_id: id }) => id}
            columns={[
              { name: text.name, cell: named, value: ({ name }) => name },
              {
                name: text.role,
                cell: ({ role }) => (role === null ? '–' : text.roleNames[role]),
                value: ({ role }) => role && text.roleNames[role],
              },
              {
                name: text.signsIn,
                cell: ({ signs_in_by: by }) => text.signInWays[by],
                value: ({ signs_in_by: by }) => text.signInWays[by],
              },
              { name: text.lastSeen, cell: ({ last_seen_at: at }) => <Time iso={at} />, value: ({ last_seen_at: at }) => at },
              { name: text.acts, isNumber: true, cell: ({ acts }) => whole(acts), value: ({ acts }) => acts },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Tokens({ isAdmin }: { readonly isAdmin: boolean }) {
  const read = useQuery(tokens);
  const [chosen, choose] = useState<TokenView>();
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Section title={text.tokens} headingRef={heading}>
      <p className="muted">{text.tokensHint}</p>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={text.tokens}
            none={text.noTokens}
            file="tokens"
            rows={items}
            keyOf={({ token_id: id }) => id}
            columns={[
              { name: text.name, cell: named, value: ({ name }) => name },
              { name: text.role, cell: ({ role }) => text.roleNames[role], value: ({ role }) => text.roleNames[role] },
              {
                name: text.state,
                value: ({ revoked_at: at }) => (at === null ? text.good : text.revokedAt),
                cell: ({ revoked_at: at }) =>
                  at === null ? (
                    text.good
                  ) : (
                    <span className="muted">
                      {text.revokedAt} <Time iso={at} />
                    </span>
                  ),
              },
              ...(isAdmin
                ? [
                    {
                      name: text.act,
                      cell: (token: TokenView) =>
                        token.revoked_at === null && !token.is_own ? (
                          <Button className="small" aria-label={text.revokeLabel(token.name)} onPress={() => choose(token)}>
                            {text.revoke}
                          </Button>
                        ) : null,
                    },
                  ]
                : []),
              { name: text.created, cell: ({ created_at: at }) => <Time iso={at} />, value: ({ created_at: at }) => at },
              { name: text.revokedAt, value: ({ revoked_at: at }) => at },
              { name: text.id, cell: ({ token_id: id }) => <code>{id}</code>, value: ({ token_id: id }) => id },
            ]}
          />
        )}
      </Loaded>
      {chosen !== undefined && <Revoke key={chosen.token_id} token={chosen} heading={heading} onClose={() => choose(undefined)} />}
    </Section>
  );
}

interface Act {
  readonly asked: Asked;
  /** What is said when it is done. */
  readonly done: string;
  /** Closes the dialog. */
  readonly onClose: () => void;
  /** It gets the focus: the button that opened the dialog goes. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

function useAct(path: string, { asked, done, onClose, heading }: Act) {
  const client = useQueryClient();
  const readAgain = (): Promise<void> => client.invalidateQueries({ queryKey: ['administration'] });
  return useMutation({
    mutationFn: () => request(path, asked),
    onSuccess: async () => {
      announce(done);
      onClose();
      await readAgain();
      focusAfterAct(heading.current);
    },
    onError: readAgain,
  });
}

function Revoke({ token, ...of }: Pick<Act, 'onClose' | 'heading'> & { readonly token: TokenView }) {
  const [reason, setReason] = useState('');
  const asked = { method: 'POST', body: { reason } } as const;
  const revoke = useAct(`/v1/tokens/${encodeURIComponent(token.token_id)}/revoke`, { asked, done: text.revoked(token.name), ...of });
  const { onClose } = of;
  return (
    <Modal title={text.revokeTitle(token.name)} onClose={onClose} isDismissable={reason === ''}>
      <p className="muted">{text.revokeHint}</p>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          revoke.mutate();
        }}
      >
        <LongText label={text.reason} value={reason} onChange={setReason} autoFocus />
        {revoke.error !== null && <Problem text={revoke.error.message} />}
        <p className="row">
          <PendingButton type="submit" className="primary" isPending={revoke.isPending}>
            {text.revoke}
          </PendingButton>
          <Button onPress={onClose}>{text.cancel}</Button>
        </p>
      </Form>
    </Modal>
  );
}

function Sessions({ isAdmin }: { readonly isAdmin: boolean }) {
  const read = useQuery(liveSessions);
  const [chosen, choose] = useState<LiveSessionView>();
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Section title={text.sessions} headingRef={heading}>
      <p className="muted">{text.sessionsHint}</p>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={text.sessions}
            none={text.noSessions}
            file="sessions"
            rows={items}
            keyOf={({ session_id: id }) => id}
            columns={[
              { name: text.name, cell: named, value: ({ name }) => name },
              { name: text.role, cell: ({ role }) => text.roleNames[role], value: ({ role }) => text.roleNames[role] },
              { name: text.begun, cell: ({ begun_at: at }) => <Time iso={at} />, value: ({ begun_at: at }) => at },
              { name: text.used, cell: ({ used_at: at }) => <Time iso={at} />, value: ({ used_at: at }) => at },
              { name: text.ends, cell: ({ ends_at: at }) => <Time iso={at} />, value: ({ ends_at: at }) => at },
              ...(isAdmin
                ? [
                    {
                      name: text.act,
                      cell: (one: LiveSessionView) =>
                        one.is_own ? null : (
                          <Button className="small" aria-label={text.endLabel(one.name)} onPress={() => choose(one)}>
                            {text.end}
                          </Button>
                        ),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Loaded>
      {chosen !== undefined && <End key={chosen.session_id} session={chosen} heading={heading} onClose={() => choose(undefined)} />}
    </Section>
  );
}

function End({ session: { session_id: id, name }, ...of }: Pick<Act, 'onClose' | 'heading'> & { readonly session: LiveSessionView }) {
  const end = useAct(`/v1/sessions/${encodeURIComponent(id)}`, { asked: { method: 'DELETE' }, done: text.ended(name), ...of });
  const { onClose } = of;
  return (
    <Modal title={text.endLabel(name)} onClose={onClose}>
      <p className="muted">{text.endHint}</p>
      {end.error !== null && <Problem text={end.error.message} />}
      <p className="row">
        <PendingButton className="primary" isPending={end.isPending} onPress={() => end.mutate()} autoFocus>
          {text.end}
        </PendingButton>
        <Button onPress={onClose}>{text.cancel}</Button>
      </p>
    </Modal>
  );
}

function Groups() {
  const read = useQuery(groupRoles);
  return (
    <Section title={text.groups}>
      <Loaded read={read}>
        {({ claim, items }) =>
          claim === null ? (
            <p className="muted">{text.noProvider}</p>
          ) : (
            <>
              <p className="muted">{text.groupsHint(claim)}</p>
              <SmallTable
                label={text.groups}
                rows={items}
                keyOf={({ group }) => group}
                columns={[
                  { name: text.group, cell: ({ group }) => <span className="breaking">{group}</span> },
                  { name: text.role, cell: ({ role }) => text.roleNames[role] },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function SettingsInForce() {
  const read = useQuery(settings);
  return (
    <Section title={text.settings}>
      <p className="muted">{text.settingsHint}</p>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? <p className="muted">{text.noSettings}</p> : items.map((each) => <OfProcess key={each.process} of={each} />)
        }
      </Loaded>
    </Section>
  );
}

function OfProcess({ of }: { readonly of: ProcessSettingsView }) {
  return (
    <>
      <h3>{of.process}</h3>
      <p className="muted">
        {text.since} <Time iso={of.since} />
      </p>
      <SmallTable
        label={of.process}
        none={text.noneSet}
        rows={of.settings}
        keyOf={({ name }) => name}
        columns={[
          { name: text.setting, cell: ({ name }) => <code>{name}</code> },
          { name: text.value, cell: ({ value }) => <span className="breaking">{value}</span> },
          { name: text.meaning, cell: ({ name }) => settingMeanings[name] ?? '' },
        ]}
      />
    </>
  );
}
