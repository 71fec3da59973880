/** GET /lists, /lists/{id} and /lists/join/{token}, and the forms that make, fill, share and leave team lists. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { newFeedToken, tokenHash } from '../../access/subscriptions.ts';
import { changeTeamList, type TeamListCommand } from '../../access/team-lists.ts';
import type { Reader } from '../../access/web-sessions.ts';
import { addressWith, type Markup } from '../../presentation/markup.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import {
  type FoundTeamList,
  findTeamList,
  storiesOfTeamList,
  teamListOfInvite,
  teamListsOf,
} from '../../projector/models/team-lists-queries.ts';
import { TEAM_LISTS } from '../../projector/models/team-lists-read-model.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { prefixedId, SignalId } from '../../schemas/scalar.ts';
import { MAXIMUM_LISTED, MAXIMUM_LISTS, MemberName, TeamListId, TeamListTitle } from '../../schemas/team-lists.ts';
import { withoutDeadLinks } from '../feed-page.ts';
import { readForm, readQuery, registerForms } from '../forms.ts';
import { showPage } from '../layout.ts';
import { excerpt } from '../parts.ts';
import { readerRoutes, type Site } from '../site.ts';
import { loadStory } from './send.ts';
import { type AddedStory, inviteBody, joinBody, LISTS, listBody, listPath, listsBody } from './team-lists-view.ts';

const ENTRIES = 30;
const PageQuery = z.object({ from: z.coerce.number().int().min(0).max(MAXIMUM_LISTED).default(0).catch(0) });

const Chosen = z.object({ id: TeamListId.describe('the id of a team list') });
const Stories = z
  .string()
  .max(8_000)
  .transform((text) => text.split(',').filter(Boolean))
  .pipe(z.array(SignalId))
  .describe('ids of signals, separated by commas')
  .default([]);
const Made = z.object({ title: TeamListTitle, name: MemberName, draft: z.uuid(), s: Stories });

/** The fields of a form without the token of the session. */
const typed = (request: FastifyRequest): Record<string, string> => {
  const { form_token: _, ...fields } = readForm(request);
  return fields;
};

const Person = z.object({ member: z.coerce.number().int().positive().describe('the number of a member') });
const Name = z.object({ name: MemberName });

/** The forms of a list that lead back to it, each with the command that it gives. */
const COMMANDS: Readonly<Record<string, (fields: Record<string, string>) => TeamListCommand>> = {
  add: (fields) => ({ do: 'add', signals: readParameters(z.object({ s: Stories }), fields).s }),
  remove: (fields) => ({ do: 'take_out', signal: readParameters(z.object({ story: SignalId }), fields).story }),
  'people/remove': (fields) => ({ do: 'remove_member', person: readParameters(Person, fields).member }),
  'invite/revoke': () => ({ do: 'revoke_invite' }),
  leave: () => ({ do: 'leave' }),
};

/** The stories of a page of a list. What left the record is left out; of stories that were merged the first stays. */
async function loadStories(site: Site, id: string, from: number) {
  const rows = await storiesOfTeamList(site.database, id, { from, limit: ENTRIES + 1 });
  const loaded = await Promise.all(
    rows
      .slice(0, ENTRIES)
      .map(async (added) => (await loadStory(site, added.signal_id)).map((signal) => ({ signal, added }))),
  );
  const unique = [
    ...new Map(
      loaded
        .flat()
        .toReversed()
        .map((one) => [one.signal.id, one]),
    ).values(),
  ].toReversed();
  const signals = await withoutDeadLinks(
    site,
    unique.map(({ signal }) => signal),
  );
  const stories: AddedStory[] = unique.flatMap(({ added }, place) => {
    const signal = signals[place];
    return signal ? [{ signal, added }] : [];
  });
  const older = rows.length > ENTRIES ? addressWith(listPath(id), { from: String(from + ENTRIES) }) : null;
  return { stories, older };
}

/** @throws Refusal `not_found` for a list that the reader is no member of */
async function loadList({ database }: Site, reader: Reader, id: string): Promise<FoundTeamList> {
  const list = TeamListId.safeParse(id).success ? await findTeamList(database, reader.account.id, id) : null;
  if (!list) throw new Refusal('not_found', 'You are a member of no team list of this id. /lists has yours.');
  return list;
}

/** The list of an invitation. @throws Refusal `not_found` for one that was renewed or revoked */
async function loadInvitation({ database }: Site, token: string) {
  const hash = tokenHash(token);
  const list = hash === null ? null : await teamListOfInvite(database, hash);
  if (!list || hash === null)
    throw new Refusal('not_found', 'This invitation was renewed or revoked. Ask for a new link.');
  return { list, hash };
}

/** Changes a list, and waits until the change is visible. */
async function change({ store, database, now }: Site, reader: Reader, id: string, command: TeamListCommand) {
  const position = await changeTeamList({ store, account: reader.account.id, now: now() }, id, command);
  await waitForOwnWrite(database, [TEAM_LISTS], position);
}

/** @throws Refusal for an account that is in as many lists as it may be */
async function checkCount({ database }: Site, reader: Reader): Promise<void> {
  if ((await teamListsOf(database, reader.account.id)).length >= MAXIMUM_LISTS)
    throw new Refusal(
      'invalid_request',
      `You are in ${MAXIMUM_LISTS} team lists, which is the maximum. Leave one first.`,
    );
}

/** Makes a list with the stories that the form brings. @returns its id, which follows from the form */
async function makeList(site: Site, reader: Reader, request: FastifyRequest): Promise<string> {
  const { title, name, draft, s: signals } = readParameters(Made, typed(request));
  await checkCount(site, reader);
  const id = prefixedId('tml', JSON.stringify([reader.account.id, draft]));
  await change(site, reader, id, { do: 'make', title, name });
  await change(site, reader, id, { do: 'add', signals });
  return id;
}

type Show = (reply: FastifyReply, title: string, body: Markup) => Promise<FastifyReply>;

/** The forms of team lists. */
function registerListForms(own: FastifyInstance, site: Site, show: Show): void {
  const { database } = site;
  const forms = readerRoutes(own, LISTS);
  /** A form that is wrong is shown again; else its list. */
  const toList = async (reply: FastifyReply, act: () => Promise<string>, again: (wrong: string) => Promise<Markup>) => {
    const made = await act().catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error;
      return error;
    });
    if (typeof made === 'string') return reply.redirect(listPath(made), 303);
    return show(reply.code(400), 'Team lists', await again(made.message));
  };
  forms.post(LISTS, async (reader, request, reply) =>
    toList(
      reply,
      () => makeList(site, reader, request),
      async (wrong) =>
        listsBody(reader, await teamListsOf(database, reader.account.id), {
          wrong,
          stories: readForm(request).s ?? '',
        }),
    ),
  );
  forms.post(`${LISTS}/join`, async (reader, request, reply) => {
    const { token = '' } = readForm(request);
    const { list, hash } = await loadInvitation(site, token);
    const join = async (): Promise<string> => {
      const { name } = readParameters(Name, typed(request));
      await checkCount(site, reader);
      await change(site, reader, list.id, { do: 'join', name, tokenHash: hash });
      return list.id;
    };
    return toList(reply, join, async (wrong) => joinBody(reader, token, list, wrong));
  });
  forms.post(`${LISTS}/invite`, async (reader, request, reply) => {
    const { id } = readParameters(Chosen, typed(request));
    const { token, hash } = newFeedToken();
    await change(site, reader, id, { do: 'issue_invite', tokenHash: hash });
    const link = `${site.baseUrl}${LISTS}/join/${token}`;
    return show(reply, 'Invitation', inviteBody(link, await loadList(site, reader, id)));
  });
  for (const [path, read] of Object.entries(COMMANDS))
    forms.post(`${LISTS}/${path}`, async (reader, request, reply) => {
      const { id } = readParameters(Chosen, typed(request));
      await change(site, reader, id, read(typed(request)));
      return reply.redirect(path === 'leave' ? LISTS : listPath(id), 303);
    });
}

export function teamListsPage(server: FastifyInstance, site: Site): void {
  const { database } = site;
  const show: Show = (reply, title, body) =>
    showPage(reply, site, { title: excerpt(title, 80), description: 'Stories that several accounts collect.', body });
  const pages = readerRoutes(server);
  pages.get(LISTS, async (reader, _request, reply) =>
    show(reply, 'Team lists', listsBody(reader, await teamListsOf(database, reader.account.id))),
  );
  pages.get<{ Params: { id: string } }>(`${LISTS}/:id`, async (reader, { params, query }, reply) => {
    const list = await loadList(site, reader, params.id);
    const stories = await loadStories(site, list.id, readQuery(PageQuery, query).from);
    return show(reply, list.title, listBody(reader, list, stories));
  });
  pages.get<{ Params: { token: string } }>(`${LISTS}/join/:token`, async (reader, { params }, reply) => {
    const { list } = await loadInvitation(site, params.token);
    if (await findTeamList(database, reader.account.id, list.id)) return reply.redirect(listPath(list.id), 303);
    return show(reply.header('cache-control', 'no-store'), list.title, joinBody(reader, params.token, list));
  });
  registerForms(server, site, (own) => registerListForms(own, site, show));
}
