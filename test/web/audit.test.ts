/** The audit log: which events are acts of operators, and its page, over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordOperation } from '../../log/event-store.ts';
import { auditActorsModel, auditModel } from '../../projector/models/audit-read-models.ts';
import { accountIdOf, accountStream } from '../../schemas/access.ts';
import { EVENTS, type KnownEvent } from '../../schemas/events.ts';
import { specification, storedEvent } from '../projector/given-when-then.ts';
import { corrected, detected, idOf, merged, retracted } from '../projector/signal-events.ts';
import { source } from '../projector/source-events.ts';
import { OPERATOR, type SignedIn, type SigningIn, signingIn } from './people/signing-in.ts';

/** Events that name who caused them, and that no command of an operator leaves. */
const NO_ACTS = new Set([
  'SignalJoined',
  'SignalAnalysed',
  'ApplicationSubmitted',
  'BriefUnsubscribed',
  'SearchDigestEnded',
]);

/** Of a choice of forms, every one names the author or none does. */
const namesAuthor = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodDiscriminatedUnion
    ? schema.options.every((option) => namesAuthor(option as z.ZodType))
    : 'by' in ((schema as z.ZodObject).shape ?? {});

describe('acts of operators', () => {
  const audit = specification(auditModel());
  const of = (event: KnownEvent) => audit.given([]).when(event).records('audit', event.id);

  it('given every event that names who caused it, then the log has it', () => {
    const named = Object.entries(EVENTS)
      .filter(([, versions]) => Object.values(versions).some(namesAuthor))
      .map(([type]) => type)
      .filter((type) => !NO_ACTS.has(type));
    expect([...auditModel().types].toSorted()).toEqual(named.toSorted());
  });

  it('given what rules, owners or the demo newsroom do, then the log has nothing', () => {
    expect(of(merged('first', 'second'))).toEqual([]);
    const account_id = accountIdOf('asha@clarity.test');
    expect(of(storedEvent('KeyRevoked', { account_id, by: 'owner', key_id: 'key_0123456789abcdef' }))).toEqual([]);
    expect(of(storedEvent('SourceAdded', { source: source(), by: 'demo newsroom', why: '' }))).toEqual([]);
  });

  it('given a correction that a merge takes over, then it is logged once', () => {
    const event = corrected('first', 1, { cities: ['Patna'] });
    expect(of(event)).toMatchObject([{ action: 'signal_corrected', detail: 'cities', why: 'the report says so' }]);
    expect(of({ ...event, data: { ...event.data, taken_from: idOf('second') } })).toEqual([]);
  });

  it('given an operator by address, then the row has the account, and the name goes with the account', () => {
    const event = { ...retracted('first'), data: { ...retracted('first').data, by: 'operator Olga@Clarity.test' } };
    const account_id = accountIdOf('olga@clarity.test');
    expect(of(event)).toMatchObject([{ actor: account_id }]);
    const actors = specification(auditActorsModel());
    expect(actors.given([]).when(event).row(account_id)).toEqual({ name: 'Olga@Clarity.test' });
    const erased = storedEvent('AccountErased', { account_id, by: 'operator root' });
    expect(actors.given([event]).when(erased).row(account_id)).toBeNull();
  });
});

describe('/operate/audit', () => {
  let people: SigningIn;
  let olga: SignedIn;
  const at = (day: number, event: KnownEvent) => ({
    ...event,
    time: `2026-11-${String(day).padStart(2, '0')}T05:00:00Z`,
  });
  const rows = async (query = ''): Promise<string[][]> => {
    const { $ } = await olga.open(`/operate/audit${query}`);
    return $('main tbody tr')
      .toArray()
      .map((one) =>
        $(one)
          .find('td')
          .toArray()
          .map((cell) => $(cell).text().trim()),
      );
  };

  beforeAll(async () => {
    people = await signingIn({ models: ['audit', 'audit_actors', 'review'] });
    olga = await people.signIn(OPERATOR);
    const { engine } = people.site;
    await people.site.append(detected('kiri'), detected('maya'));
    const account_id = accountIdOf('asha@clarity.test');
    await engine.add(
      accountStream(account_id),
      at(2, storedEvent('PlanChanged', { account_id, by: OPERATOR, from: 'free', to: 'pro' })),
    );
    await people.site.append(
      at(3, corrected('kiri', 1, { cities: ['Patna'] })) as never,
      at(4, {
        ...retracted('maya'),
        data: { ...retracted('maya').data, why: '=HYPERLINK("http://evil.test")' },
      }) as never,
    );
    await recordOperation(
      { store: engine.store, now: () => new Date('2026-11-05T05:00:00Z') },
      { operation: 'model_rebuilt', subject: 'signals', by: 'root', why: null },
    );
  });
  afterAll(() => people.close());

  it('then it lists who did what to what and why, the newest first', async () => {
    await expect
      .poll(() => rows())
      .toMatchObject([
        ['root', 'model rebuilt', 'signals', ''],
        ['asha', 'signal retracted', idOf('maya'), '=HYPERLINK("http://evil.test")'],
        ['asha', 'signal corrected', `${idOf('kiri')}cities`, 'the report says so'],
        [OPERATOR, 'plan changed', `${accountIdOf('asha@clarity.test')}from free to pro`, ''],
      ]);
  });

  it.each([
    [`?by=${OPERATOR}`, ['plan changed']],
    ['?action=signal_corrected', ['signal corrected']],
    [`?subject=${idOf('maya').slice(0, 12)}`, ['signal retracted']],
    ['?since=2026-11-03&until=2026-11-03', ['signal corrected']],
    ['?by=nobody', []],
  ])('given %s, then the log is narrowed', async (query, actions) => {
    expect((await rows(query)).map(([, action]) => action)).toEqual(actions);
  });

  it('given a wrong filter, then 400', async () => {
    expect((await olga.open('/operate/audit?action=everything')).status).toBe(400);
    expect((await olga.open('/operate/audit?since=yesterday')).status).toBe(400);
  });

  it('given more than a page, then older entries follow without a gap', async () => {
    const { engine } = people.site;
    for (let number = 0; number < 60; number++)
      await recordOperation(
        { store: engine.store, now: () => new Date(Date.UTC(2026, 9, 1, 0, number % 3)) },
        { operation: 'source_polled', subject: `paper-${number}`, by: 'root', why: null },
      );
    const filter = '?action=source_polled';
    const all = async () =>
      ((await (await olga.browser.get(`${people.baseUrl}/operate/audit.json${filter}`)).json()) as { acts: unknown[] })
        .acts;
    await expect.poll(async () => (await all()).length).toBe(60);
    expect(await rows(filter)).toHaveLength(50);
    const { $ } = await olga.open(`/operate/audit${filter}`);
    const next = $('a[rel=next]').attr('href') ?? '';
    const subjects = [...(await rows(filter)), ...(await rows(next.replace('/operate/audit', '')))].map(
      (one) => one[2],
    );
    expect(new Set(subjects).size).toBe(60);
    expect((await olga.open(next)).$('a[rel=next]')).toHaveLength(0);
  });

  it('then CSV and JSON have the same entries with the same filters; a formula stays text', async () => {
    const csv = await olga.browser.get(`${people.baseUrl}/operate/audit.csv?until=2026-11-30&since=2026-11-01`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.headers.get('cache-control')).toBe('no-store');
    const lines = (await csv.text()).trim().split('\r\n');
    expect([lines.length, lines[0]]).toEqual([5, 'at,by,action,subject,detail,why,event']);
    expect(lines[2]).toContain(`"'=HYPERLINK`);
    const json = await olga.browser.get(`${people.baseUrl}/operate/audit.json?action=plan_changed`);
    expect(await json.json()).toMatchObject({
      acts: [{ by: OPERATOR, action: 'plan_changed', at: '2026-11-02T05:00:00.000Z' }],
    });
  });

  it('given a retry on the page of parked events, then the log names who asked for it', async () => {
    await people.site.engine.database.query(
      `INSERT INTO projector.parked (model, event_id, type, input, event, error, build)
       VALUES ('signals', 'event-1', 'SignalDetected', 'polls/3', '{}', 'it does not fit', NULL)`,
    );
    expect((await olga.send('/operate/parked', '/operate/parked/drop', { why: 'a test' })).status).toBe(303);
    await expect
      .poll(() => rows('?action=event_dropped'))
      .toEqual([[OPERATOR, 'event dropped', 'signals event-1', 'a test']]);
  });
});
