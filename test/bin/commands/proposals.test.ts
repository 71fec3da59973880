import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadRoster } from '../../../ingest/roster/roster.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { PROPOSALS } from '../../../operations/proposals.ts';
import { newEvent } from '../../../schemas/events.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { proposalId, proposalStream } from '../../../schemas/source.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Outlet, rss, startOutlet } from '../../ingest/poll/outlet.ts';
import { runCommand } from '../run-command.ts';

describe('clarity proposals', () => {
  let server: TestDatabase;
  let outlet: Outlet;
  beforeAll(async () => {
    server = await logDatabase();
    outlet = await startOutlet((request, response) =>
      request.url === '/feed'
        ? response.end(rss('<title>Zudio opens</title><link>https://a.in/1</link>'))
        : request.url === '/'
          ? response.end('<html><link rel="alternate" type="application/rss+xml" href="/feed"></html>')
          : response.writeHead(404).end(),
    );
  });
  afterAll(async () => {
    await outlet.close();
    await server.close();
  });

  const clarity = (...words: string[]) => {
    vi.stubEnv('ALLOW_PRIVATE_SOURCES', '1');
    return runCommand(PROPOSALS, ['proposals', ...words], server.url);
  };
  async function proposed(url: string, name: string | null = null): Promise<string> {
    const store = postgresEventStore(server.database);
    const id = proposalId(url);
    const data = { proposal_id: id, url, outlet: name, reason: 'good', email: 'a@b.in' };
    const event = newEvent('ProposalSubmitted', data, { id: eventId('test', id), time: new Date().toISOString() });
    await store.append(proposalStream(id), [event], 'none');
    await store.close();
    return id;
  }

  it('are accepted when their poll succeeds, and are then in the roster', async () => {
    const id = await proposed(`${outlet.url}/`, 'The Paper');
    expect((await clarity('list')).output).toContain(id);
    expect(await clarity('accept', id, '--id', 'The Paper')).toMatchObject({
      code: 2,
      output: expect.stringContaining('id: "The Paper" cannot be used: must be kebab-case'),
    });
    const { code, output } = await clarity('accept', id, '--by', 'asha', '--authority', '0.6');
    expect({ code, output }).toEqual({
      code: 0,
      output: `accepted ${id} as the-paper: ${outlet.url}/feed lists 1 items\n`,
    });
    const store = postgresEventStore(server.database);
    expect((await loadRoster(store)).roster.get(sourceId('the-paper'))?.source).toMatchObject({
      authority: 0.6,
      url: `${outlet.url}/feed`,
    });
    await store.close();
    expect((await clarity('list')).output).toBe('no pending proposals\n');
    expect((await clarity('accept', id)).code).toBe(0);
    expect(await clarity('reject', id)).toMatchObject({ code: 2, output: expect.stringMatching(/sources retire/) });
  });

  it('wait on while nothing can be polled there, and can be rejected with a reason', async () => {
    const id = await proposed(`${outlet.url}/nothing`);
    expect(await clarity('accept', id)).toMatchObject({
      code: 2,
      output: expect.stringMatching(/not_found.*is still pending/),
    });
    expect((await clarity('reject', id, '--why', 'a dead link')).output).toBe(`rejected ${id}\n`);
    expect(JSON.parse((await clarity('list', '--all', '--json')).output)).toMatchObject([
      { status: 'accepted', decided: { by: 'asha', source_id: 'the-paper' } },
      { status: 'rejected', decided: { why: 'a dead link' } },
    ]);
    expect((await clarity('accept', 'prp_0000000000000000')).code).toBe(2);
  });
});
