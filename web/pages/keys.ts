/** GET /keys and its forms: apply, make, see once, revoke, and the use by day. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { commandAccount } from '../../access/account-commands.ts';
import { usageByDay, usageOfKeys } from '../../access/quota/usage.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { keyList } from '../../api/keys/key-list.ts';
import { makeKey } from '../../api/keys/make-key.ts';
import { OWNER } from '../../api/keys/person.ts';
import { ApplicationBody, type IssuedKey, KeyBody } from '../../schemas/key.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { formOf, formRoutes } from '../forms.ts';
import { layout } from '../layout.ts';
import { applicationPart, keyTable, makePart, newKeyNotice } from '../parts/key-parts.ts';
import { usageChart } from '../parts/usage-chart.ts';
import { askToSignIn } from '../readers.ts';
import { sendPage } from '../send-page.ts';
import type { Site } from '../site.ts';
import { counted } from '../text.ts';
import { shortDay, timeTag } from '../time.ts';

const DAYS = 30;

async function render(site: Site, reader: Reader, made: IssuedKey | null): Promise<string> {
  const list = await keyList(site, reader.account);
  const days = await usageByDay(site.database, reader.account.id, DAYS, site.now());
  const { account, usage, application, keys } = list;
  const mayMake = account.plan === 'pro' || application?.status === 'approved' || keys.length > 0;
  const ids = keys.map(({ id }) => id);
  const uses = await usageOfKeys(site.database, ids, DAYS, site.now());
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  return layout(site, {
    title: 'Keys · Clarity',
    description: 'Apply for a key of the API, make and revoke keys, and see their use.',
    path: null,
    body: html`<header class="subject"><p class="kicker">Keys of the API · plan ${account.plan === 'pro' ? 'Pro' : 'Free'}</p><h1>Your keys</h1></header>
    <div class="desk">
    ${made ? newKeyNotice(made, site.baseUrl) : null}
    ${keyTable(reader, keys, { uses, days: DAYS })}
    ${mayMake ? makePart(reader, list) : applicationPart(reader, application)}
    <section><h2>Use</h2>
      <p>${usage.day.used} of ${usage.day.max} calls of the day are used, all keys together, REST and MCP.
        ${usage.day.used > 0 ? html`They come back ${timeTag(usage.day.resets_at, `on ${shortDay(usage.day.resets_at)}`)}.` : null}
        ${counted(calls, 'call')} in the last ${DAYS} days.</p>
      ${usageChart(days)}</section>
    <p class="said"><a href="/developers">How to call the API</a> · <a href="/plans">What each plan holds</a></p>
    </div>`,
  });
}

/** Answers the page; the one that a key is made on shows it, and is kept nowhere. */
export function keysPage(server: FastifyInstance, site: Site): void {
  server.get('/keys', async (request, reply) => {
    const { reader } = request;
    return reader ? sendPage(reply, await render(site, reader, null)) : askToSignIn(request, reply);
  });
  formRoutes(server, site, (own) => {
    own.post('/keys/apply', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, '/keys');
      const { email, use } = formOf(request);
      const body = readParameters(ApplicationBody, { email, use });
      await commandAccount(site, reader.account, { command: 'apply', ...body }, OWNER);
      return reply.redirect('/keys', 303);
    });

    own.post('/keys/make', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, '/keys');
      const { known, name, scopes, expires_at } = formOf(request);
      const { keys } = await keyList(site, reader.account);
      if (known !== String(keys.length)) return reply.redirect('/keys', 303);
      const body = readParameters(KeyBody, { name, scopes: scopes?.split(','), expires_at });
      return sendPage(reply, await render(site, reader, await makeKey(site, reader.account, body)));
    });

    own.post('/keys/revoke', async (request, reply) => {
      const { reader } = request;
      if (!reader) return askToSignIn(request, reply, '/keys');
      const { id: key_id = '' } = formOf(request);
      await commandAccount(site, reader.account, { command: 'revoke_key', key_id }, OWNER);
      return reply.redirect('/keys', 303);
    });
  });
}
