/** Personal data of an account: encrypted in the log, readable while the account exists, gone once it is erased. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../access/access.ts';
import { accountOfEmail, changeAccount } from '../../access/account.ts';
import { personalKeys } from '../../access/erase-account.ts';
import { changeSubscription } from '../../access/mails.ts';
import { changeTeamList } from '../../access/team-lists.ts';
import { appendTurn, openSession } from '../../answer/ask.ts';
import type { EventStore } from '../../log/event-store.ts';
import { protectPersonalData } from '../../log/personal-data.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { ACCOUNTS } from '../../operations/accounts.ts';
import { EVENTS } from '../../operations/events.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { findAccount } from '../../projector/models/accounts-queries.ts';
import { accountsModel } from '../../projector/models/accounts-read-model.ts';
import { findTurn } from '../../projector/models/ask-queries.ts';
import { investigationsModel, sessionsModel } from '../../projector/models/ask-read-models.ts';
import { followsModel } from '../../projector/models/follows-read-models.ts';
import { briefSubscribersModel, savedSearchesModel } from '../../projector/models/mail-subscriptions-read-models.ts';
import { teamListsModel } from '../../projector/models/team-lists-read-model.ts';
import { replay } from '../../projector/rebuild/replay-model.ts';
import { investigationStream } from '../../schemas/ask.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { eventId, prefixedId, signalId } from '../../schemas/scalar.ts';
import { proposalStream } from '../../schemas/source.ts';
import { followsStream, searchesStream } from '../../schemas/subscriptions.ts';
import { runCommand } from '../bin/run-command.ts';
import { type Engine, testEngine } from '../projector/engine.ts';

const EMAIL = 'asha.rao@example.com';
const account = accountOfEmail(EMAIL);
const SECRETS = [
  EMAIL,
  'Ashas laptop',
  'a thesis on malls',
  'Why did Zudio close in Thane',
  'Zudio-in-Thane topic',
  'Thane answer',
  'Our plans for Thane',
  'city=Thane',
  'zudio unknown words',
  'Asha of Thane',
  'Malls of Thane',
];
/** In the log alone: what a reader proposed is in no read model of this test. */
const PROPOSED = ['Thane Mall Times', 'why Thane matters to me'];
const now = new Date('2026-11-21T04:30:00Z');
const time = now.toISOString();
const owner = { role: 'operator', by: `operator ${EMAIL}` } as const;
const models = [
  accountsModel(),
  sessionsModel(),
  investigationsModel(),
  followsModel(),
  savedSearchesModel(),
  briefSubscribersModel(),
  teamListsModel(),
];

let engine: Engine;
let store: EventStore;
let slug: string;

/** Everything that PostgreSQL holds of the event log, as text. */
const storedBytes = async (): Promise<string> =>
  (await engine.database.query<{ all: string }>(`SELECT string_agg(body::text, ' ') AS all FROM log.event`)).rows[0]
    ?.all ?? '';
/** Everything that the read models of this test hold, as text. */
const rows = async (): Promise<string> => {
  const tables = [
    'accounts',
    'api_keys',
    'sessions',
    'session_turns',
    'investigations',
    'follows',
    'saved_searches',
    'brief_subscribers',
    'team_lists',
    'team_list_people',
    'team_list_stories',
  ];
  const texts = await Promise.all(
    tables.map(async (table) =>
      JSON.stringify((await engine.database.query(`SELECT t::text FROM read.${table} t ORDER BY 1`)).rows),
    ),
  );
  return texts.join('\n');
};
/** All events as readers of the store see them, as text. */
const readBack = async (): Promise<string> =>
  (await store.readAll({ after: 0n })).events
    .map(({ position: _, ...event }) => JSON.stringify(readEvent(event)))
    .join('\n');
const projected = async (): Promise<void> => {
  const head = await store.head();
  for (const { name } of models) await waitForPosition(engine.database, name, head, 10_000);
};
const rebuilt = async () => {
  const results = [];
  for (const model of models)
    results.push(await replay({ ...engine, store, model, verify: true, signal: new AbortController().signal }));
  return results;
};

beforeAll(async () => {
  engine = await testEngine();
  await migrateAccess(engine.database);
  store = protectPersonalData(postgresEventStore(engine.database), personalKeys(engine.database));
  engine.run(models, { store });
  const at = { commander: owner, now };
  await changeAccount(store, account, { command: 'apply', email: EMAIL, use: 'a thesis on malls' }, at);
  const key = { id: prefixedId('key', 'one'), hash: 'a'.repeat(64), ending: 'wxyz' };
  const issue = {
    command: 'issue_key',
    key,
    name: 'Ashas laptop',
    scopes: null,
    expires_at: null,
    plan: 'pro',
  } as const;
  await changeAccount(store, account, issue, at);
  const subscribe = { do: 'subscribe', email: EMAIL, scope: 'everything', token: 't'.repeat(32) } as const;
  await changeSubscription(store, account.id, subscribe, now);
  const question = 'Why did Zudio close in Thane';
  const session = await openSession(store, { id: undefined, question, account: account.id });
  slug = session.slug;
  const query = {
    query: '{"words":"zudio unknown words"}',
    chips: [{ field: 'words', label: 'Words', value: 'zudio unknown words', without: null }],
  };
  const turn = { content: 'Thane answer', citations: [], confidence: 0.5, asked_at: time, cost_usd: 0, query };
  await appendTurn(store, session, { ...turn, question, request_id: 'req_1' });
  // The second question is in a separate append, which names no account.
  const again = await openSession(store, { id: session.id, question, account: account.id });
  await appendTurn(store, again, { ...turn, question, request_id: 'req_2' });
  const investigation_id = prefixedId('inv', 'one');
  const research = {
    investigation_id,
    account_id: account.id,
    topic: 'Zudio-in-Thane topic',
    preset: 'standard',
  } as const;
  await store.append(
    investigationStream(investigation_id),
    [
      newEvent(
        'ResearchRequested',
        { ...research, brands: [], themes: [], since: null, request_id: 'req_3' },
        { id: eventId('ResearchRequested', investigation_id), time },
      ),
      newEvent(
        'ResearchCompleted',
        { investigation_id, report_markdown: '# Zudio-in-Thane topic', citations: [], cost_usd: 0 },
        { id: eventId('ResearchCompleted', investigation_id), time },
      ),
    ],
    'none',
  );
  const follow_id = prefixedId('fol', 'one');
  const target = { type: 'brand', slug: 'zudio', name: 'Zudio', signal_id: null } as const;
  const followed = newEvent('FollowAdded', { account: account.id, follow_id, ...target }, { id: eventId('f'), time });
  await store.append(followsStream(account.id), [followed], 'none');
  const search_id = prefixedId('sch', 'one');
  const search = { account_id: account.id, search_id, name: 'Our plans for Thane', query: 'city=Thane' };
  const mailed = { account_id: account.id, search_id, email: EMAIL, every: 'daily', token: 't'.repeat(32) } as const;
  await store.append(
    searchesStream(account.id),
    [
      newEvent('SearchSaved', search, { id: eventId('s'), time }),
      newEvent('SearchChanged', { ...search, name: 'Our plans for Thane, again' }, { id: eventId('c'), time }),
      newEvent('SearchDigestChosen', mailed, { id: eventId('d'), time }),
    ],
    'none',
  );
  const proposal_id = prefixedId('prp', 'one');
  const proposed = {
    proposal_id,
    url: 'https://news.example/feed',
    email: EMAIL,
    outlet: 'Thane Mall Times',
    reason: 'why Thane matters to me',
  };
  await store.append(
    proposalStream(proposal_id),
    [newEvent('ProposalSubmitted', proposed, { id: eventId('p'), time })],
    'none',
  );
  // A list that the account made, and one that it left: of both others are members.
  const other = accountOfEmail('other@example.com').id;
  const tokenHash = 'b'.repeat(64);
  const teams = [
    ['tml_0000000000000001', account.id, other, 'Malls of Thane'],
    ['tml_0000000000000002', other, account.id, 'Malls'],
  ] as const;
  for (const [list, maker, member, title] of teams) {
    const name = (whose: string) => (whose === account.id ? 'Asha of Thane' : 'Other');
    const change = (by: typeof other, command: Parameters<typeof changeTeamList>[2]) =>
      changeTeamList({ store, account: by, now }, list, command);
    await change(maker, { do: 'make', title, name: name(maker) });
    await change(maker, { do: 'issue_invite', tokenHash });
    await change(member, { do: 'join', name: name(member), tokenHash });
    await change(account.id, { do: 'add', signals: [signalId('https://outlet.test/one')] });
    if (member === account.id) await change(member, { do: 'leave' });
  }
  await projected();
});
afterAll(() => engine.close());

describe('personal data of an account', () => {
  it('given events with personal data, then the log holds none of it in the clear, and readers see all of it', async () => {
    const bytes = await storedBytes();
    for (const secret of [...SECRETS, ...PROPOSED]) expect(bytes).not.toContain(secret);
    expect(bytes).not.toContain(slug);
    const events = await readBack();
    for (const secret of [...SECRETS, ...PROPOSED]) expect(events).toContain(secret);
    for (const secret of SECRETS) expect(await rows()).toContain(secret);
    expect(await rebuilt()).toEqual(
      models.map(({ name }) =>
        expect.objectContaining({ model: name, verification: expect.objectContaining({ equal: true }) }),
      ),
    );
  });

  it('given an encrypted field moved to another event, then that event alone cannot be read', async () => {
    const [opened] = await store.read(`account-${account.id}`);
    const { rows } = await engine.database.query<{ name: string }>(
      `SELECT body::jsonb #>> '{data,name}' AS name FROM log.event WHERE body::jsonb ->> 'type' = 'AccountOpened'`,
    );
    const inner = postgresEventStore(engine.database);
    const copy = newEvent(
      'AccountOpened',
      { account_id: account.id, by: 'somebody', name: rows[0]?.name ?? '' },
      { id: eventId('copy'), time },
    );
    await inner.append('elsewhere-1', [copy], 'none');
    const [moved] = await store.read('elsewhere-1');
    expect(() => readEvent(moved as never)).toThrow(/cannot be read.*name/s);
    expect(opened).toMatchObject({ data: { name: EMAIL } });
  });

  it('given a text of the maximum length, or one that looks encrypted, then it comes back as it was', async () => {
    const texts = ['sealed:v1:0123456789abcdef:AAAA', 'x'.repeat(2_000), '₹ “नमस्ते” \u0000 \u001e'];
    const other = accountOfEmail('other@example.com');
    for (const [index, use] of texts.entries()) {
      const data = {
        account_id: other.id,
        by: 'owner',
        application_id: prefixedId('app', String(index)),
        email: 'other@example.com',
        use,
      };
      await store.append(
        `elsewhere-${2 + index}`,
        [newEvent('ApplicationSubmitted', data, { id: eventId('text', index), time })],
        'none',
      );
      expect((await store.read(`elsewhere-${2 + index}`))[0]).toMatchObject({ data });
    }
  });

  it('given events of before their fields were personal, then `clarity events seal` encrypts them once, and readers see no change', async () => {
    const inner = postgresEventStore(engine.database);
    const session_id = 'ses_00000000000000ff';
    const question = 'Where will Trent open in Thane';
    const plain = [
      newEvent(
        'SessionStarted',
        { session_id, slug: 'where-trent', account_id: account.id },
        { id: eventId('s', 1), time },
      ),
      newEvent(
        'QuestionAnswered',
        {
          session_id,
          ordinal: 1,
          question,
          content: 'In Thane answer',
          citations: [],
          confidence: 0.5,
          asked_at: time,
          cost_usd: 0,
          request_id: 'req_9',
          query: { query: '{"words":"zudio unknown words"}', chips: [] },
        },
        { id: eventId('s', 2), time },
      ),
    ];
    await inner.append(`session-${session_id}`, plain, 'none');
    expect(await storedBytes()).toContain('zudio unknown words');
    const before = await store.read(`session-${session_id}`);

    const first = await runCommand(EVENTS, ['events', 'seal', '--json'], engine.url);
    expect(first.code, first.output).toBe(0);
    expect(JSON.parse(first.output)).toMatchObject({ sealed: 2, hidden: 0, plain: 0 });
    for (const secret of ['zudio unknown words', question, 'where-trent'])
      expect(await storedBytes()).not.toContain(secret);
    expect(await store.read(`session-${session_id}`)).toEqual(before);

    const second = await runCommand(EVENTS, ['events', 'seal', '--json'], engine.url);
    expect(JSON.parse(second.output)).toMatchObject({ sealed: 0 });
    await inner.close();
  });

  it('given `clarity accounts erase`, then read models drop the data at once, its events are unreadable, and rebuilds give the same rows', async () => {
    const erase = () => runCommand(ACCOUNTS, ['accounts', 'erase', EMAIL, '--yes', '--json'], engine.url);
    const { code, output } = await erase();
    expect(output).toContain('"keys": 1');
    expect(code).toBe(0);
    await projected();
    const before = await rows();
    for (const secret of [...SECRETS, slug]) expect(before).not.toContain(secret);
    expect(await findAccount(engine.database, account.id)).toMatchObject({
      name: null,
      plan: 'free',
      application: null,
    });
    expect(await findTurn(engine.database, slug, 1, account.id)).toBeNull();
    expect(before.match(/A former member/g)).toHaveLength(4);
    const events = await readBack();
    for (const secret of [...SECRETS, ...PROPOSED]) expect(events).not.toContain(secret);
    const results = await rebuilt();
    expect(results.map(({ model, verification }) => [model, verification?.equal])).toEqual(
      models.map(({ name }) => [name, true]),
    );
    expect(await rows()).toEqual(before);
    // Again, as after an interruption: nothing is left to do.
    expect(JSON.parse((await erase()).output)).toMatchObject({
      keys: 0,
      follows: 0,
      sessions: 0,
      briefings: 0,
      lists: 0,
    });
  });

  it('given an erased account that is used again, then it has a new encryption key and none of its former data', async () => {
    await changeAccount(store, account, { command: 'change_plan', plan: 'pro' }, { commander: owner, now });
    await projected();
    expect(await findAccount(engine.database, account.id)).toMatchObject({
      name: EMAIL,
      plan: 'pro',
      application: null,
    });
    expect(await findTurn(engine.database, slug, 1, account.id)).toBeNull();
  });
});
