/** Team lists as pages show them: all of a reader, one with its people, an invitation, and the form that adds stories. */
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { Reader } from '../../access/web-sessions.ts';
import { formatCount } from '../../language/prose.ts';
import type { Markup } from '../../presentation/markup.ts';
import { formatAxisDay } from '../../presentation/text.ts';
import type { FoundTeamList, ListedTeamList, TeamListStory } from '../../projector/models/team-lists-queries.ts';
import { reportedAt } from '../../schemas/resources.ts';
import { type FeedEntry, signalEntry } from '../feed.ts';
import { choiceField, form, shareButton, wrongFields } from '../forms.ts';
import { countedPart, dayTag, excerpt, olderPager, part, subject } from '../parts.ts';
import { signInAddress } from '../site.ts';

/** The page of all team lists, below which are those of each. */
export const LISTS = '/lists';

export const listPath = (id: string): string => `${LISTS}/${id}`;
const titleOf = ({ title }: Pick<ListedTeamList, 'title'>): string => excerpt(title, 80);

const textField = (name: string, label: string, maximum: number): Markup =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" maxlength="${maximum}" required autocomplete="off"></div>`;

const NAME_FIELD = html`${textField('name', 'Your name in this list', 40)}<p class="note">Members see this name, never your address.</p>`;

/** The form that makes a list. A form that is sent twice makes one. @param stories ids of what it begins with */
const makeForm = (reader: Reader, stories = ''): Markup =>
  form(
    reader,
    LISTS,
    { draft: randomUUID(), ...(stories && { s: stories }) },
    html`${textField('title', 'Title', 80)}${NAME_FIELD}<button>Make a list</button>`,
    'narrow',
  );

const WHAT =
  'Stories that several accounts collect. Who opens the invitation of a list joins it under a name of their choice.';

/** What a form of a list says when it is shown again. */
interface Again {
  readonly wrong: string;
  /** Ids of the stories that the new list was to begin with. */
  readonly stories: string;
}

/** The page of all lists. @param again after a form that was wrong */
export const listsBody = (reader: Reader, lists: readonly ListedTeamList[], again: Again | null = null): Markup =>
  html`${subject(html`<a href="/my-brands">My brands</a>`, 'Team lists', html`<p>${WHAT}</p>`)}
  ${lists.length === 0 ? html`<p class="empty">You are in no team list yet. Make one, then invite others by its link.</p>` : null}
  <ul class="searches">${lists.map(
    (list) =>
      html`<li><div><h2><a href="${listPath(list.id)}">${titleOf(list)}</a></h2>
      <p class="note">${formatCount(list.stories, 'story', 'stories')}, ${formatCount(list.members, 'member')}</p></div></li>`,
  )}</ul>
  ${part('A new list', html`${wrongFields(again?.wrong ?? null)}${makeForm(reader, again?.stories)}`)}`;

/** A part of the page of stories: adds them to a list of the reader. @param stories their ids, separated by commas */
export function addPart(reader: Reader | null, lists: readonly ListedTeamList[], stories: string): Markup {
  const inPart = (heading: string, body: Markup): Markup =>
    html`<section class="part" id="team-list"><h2>${heading}</h2>${body}</section>`;
  if (!reader)
    return inPart(
      'Team list',
      html`<p><a href="${signInAddress(`/send?s=${stories}`)}">Sign in</a> to collect stories with others.</p>`,
    );
  if (lists.length === 0) return inPart('A new team list', makeForm(reader, stories));
  const choices = lists.map((list) => ({ value: list.id, name: titleOf(list) }));
  const fields = html`<div class="row">${choiceField('id', 'List', choices, undefined)}<button>Add</button></div>`;
  return inPart('Add to a team list', form(reader, `${LISTS}/add`, { s: stories }, fields, 'narrow'));
}

/** The lists of a reader as a part of a rail, with how many stories each has. */
export const listsPart = (lists: readonly ListedTeamList[]): Markup | null =>
  countedPart(
    html`<a href="${LISTS}">Team lists</a>`,
    lists.length === 0
      ? [html`<li><a href="${LISTS}">Collect stories with others</a></li>`]
      : lists.map(
          (list) => html`<li><a href="${listPath(list.id)}">${titleOf(list)}</a> <span>${list.stories}</span></li>`,
        ),
  );

/** A story of a list, as its page shows it. */
export interface AddedStory {
  readonly signal: FeedEntry;
  readonly added: TeamListStory;
}

/** Who added a story and when, and the way to take it out. */
const addedLine = (name: string, at: string, remove: Markup): Markup =>
  html`<div class="added"><p class="note">Added by <b>${excerpt(name, 40)}</b>, ${dayTag(at)}</p><div class="do">${remove}</div></div>`;

const storyOf =
  (reader: Reader, list: FoundTeamList) =>
  ({ signal, added: { signal_id, name, added_at } }: AddedStory): Markup => {
    const button = html`<button class="plain" aria-label="Remove: ${excerpt(signal.headline)}">Remove</button>`;
    const remove = form(reader, `${LISTS}/remove`, { id: list.id, story: signal_id }, button);
    const line = addedLine(name, added_at.toISOString(), remove);
    return signalEntry(signal, (one) => formatAxisDay(reportedAt(one)), '', line);
  };

const peoplePart = (reader: Reader, { id, people }: FoundTeamList): Markup => {
  const isManager = people[0]?.is_self;
  const rows = people.map(({ number, name, is_self }, place) => {
    const marks = [...(is_self ? ['you'] : []), ...(place === 0 ? ['manages the list'] : [])].join(', ');
    const remove = html`<button class="plain" aria-label="Remove ${excerpt(name, 40)} from the list">Remove</button>`;
    const offered = isManager && !is_self;
    return html`<li>${excerpt(name, 40)}${marks ? html` <small>${marks}</small>` : null}
      ${offered ? html`<div class="do">${form(reader, `${LISTS}/people/remove`, { id, member: String(number) }, remove)}</div>` : null}</li>`;
  });
  return html`<section class="followed"><h2>Members</h2><ul>${rows}</ul>
    ${form(reader, `${LISTS}/leave`, { id }, html`<button class="plain">Leave the list</button>`)}</section>`;
};

const invitationPart = (reader: Reader, { id, has_invite }: FoundTeamList): Markup => {
  const button = (action: string, label: string): Markup =>
    form(reader, `${LISTS}/${action}`, { id }, html`<button class="plain">${label}</button>`);
  return html`<section id="invitation"><h2>Invitation</h2>
    <p class="note">${has_invite ? 'The list has an invitation. A new one ends it; members stay.' : 'The list has no invitation: nobody can join.'}</p>
    <div class="do">${button('invite', has_invite ? 'Make a new link' : 'Make a link')}${has_invite ? button('invite/revoke', 'Revoke the link') : null}</div></section>`;
};

/** The page of one list. */
export function listBody(
  reader: Reader,
  list: FoundTeamList,
  { stories, older }: { readonly stories: readonly AddedStory[]; readonly older: string | null },
): Markup {
  const isManager = list.people[0]?.is_self === true;
  const counts = `${formatCount(list.stories, 'story', 'stories')}, ${formatCount(list.members, 'member')}`;
  const ids = stories.slice(0, 25).map(({ signal }) => signal.id);
  const actions = html`${isManager ? html`<a class="button" href="#invitation">Invite</a>` : null}${ids.length > 0 ? html`<a class="button plain" href="/send?s=${ids.join(',')}">As text</a>` : null}`;
  const entries =
    stories.length === 0
      ? html`<p class="empty">No stories yet. Choose “Send” on any list of stories, tick some, and add them from there; or “Add to a list” on the page of a story.</p>`
      : html`<div class="feed"><section class="day"><header class="day-head"><h2>Stories</h2></header>
        <div class="entries">${stories.map(storyOf(reader, list))}</div></section></div>`;
  return html`${subject(html`<a href="${LISTS}">Team lists</a>`, titleOf(list), html`<p>${counts}</p>`, actions)}
  <div class="story-columns"><div class="stories">${entries}${olderPager(older)}</div>
    <aside class="rail" aria-label="Members and invitation">${isManager ? invitationPart(reader, list) : null}${peoplePart(reader, list)}</aside></div>`;
}

/** The address of an invitation, which is shown once. */
export const inviteBody = (link: string, list: FoundTeamList): Markup => html`
  ${subject(html`<a href="${listPath(list.id)}">${titleOf(list)}</a>`, 'Your invitation', null, shareButton(`Team list: ${titleOf(list)}`, link))}
  <p>Anyone who opens this address and signs in can join the list. It is shown once. A new one, or revoking it, ends it; so does removing a member.</p>
  <div data-copy="invitation"><pre tabindex="0">${link}</pre></div>`;

/** What an invitation leads to. @param wrong what was wrong with the name; null when nothing was */
export const joinBody = (
  reader: Reader,
  token: string,
  list: { readonly title: string; readonly from: string; readonly members: number },
  wrong: string | null = null,
): Markup => html`
  ${subject('Invitation to a team list', titleOf(list), html`<p>From ${excerpt(list.from, 40)}; ${formatCount(list.members, 'member')}.</p>`)}
  <p>Members collect stories, and see who added each by the name that they chose.</p>${wrongFields(wrong)}
  ${form(reader, `${LISTS}/join`, { token }, html`${NAME_FIELD}<button>Join</button>`, 'narrow')}`;
