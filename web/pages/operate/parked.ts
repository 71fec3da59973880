/** GET /operate/parked: parked events and dead letters, with their retries. */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { type DeadLetter, dropDeadLetter, listDeadLetters, requestRetry } from '../../../log/dead-letters.ts';
import { recordOperation } from '../../../log/operations.ts';
import { fullTime, type Markup } from '../../../presentation/markup.ts';
import { clip, neutralise } from '../../../presentation/text.ts';
import { dropParked, listParked, type Parked } from '../../../projector/parked-events.ts';
import { quoted, Refusal } from '../../../schemas/input-errors.ts';
import { type Form, form } from '../../forms.ts';
import type { Desk, Site } from '../../site.ts';
import { type Operator, operatorPage, reasonIn, whyField } from './operator-page.ts';

/** Milliseconds that a request waits for a retry. Most retries take less; a rebuild takes longer and goes on. */
const RETRY_WAIT = 2_000;

/** The state of the last retry of an event: running, or failed. */
interface RetryState {
  readonly since: Date;
  /** Null while it runs. */
  readonly error: string | null;
}

/** Retries of parked events from a page. */
interface Retries {
  /**
   * Starts a retry and waits for a moment.
   * @throws Refusal when it failed by then, or while another retry of the same read model runs
   */
  start(parked: Parked): Promise<void>;
  /** Null for an event without a retry since this process started, or after a successful one. */
  stateOf(parked: Pick<Parked, 'model' | 'event_id'>): RetryState | null;
  /** True while any retry runs. */
  isBusy(): boolean;
}

const keyOf = ({ model, event_id }: Pick<Parked, 'model' | 'event_id'>): string => `${model} ${event_id}`;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @param timeout milliseconds that `start` waits */
export function parkedRetries(desk: Pick<Desk, 'retry'>, now: () => Date, timeout = RETRY_WAIT): Retries {
  const known = new Map<string, RetryState>();
  /** Read models with a running retry: two rebuilds of one model would conflict. */
  const busy = new Set<string>();

  async function run(parked: Parked): Promise<string | null> {
    const { model } = parked;
    const since = now();
    busy.add(model);
    known.set(keyOf(parked), { since, error: null });
    let error: string | null;
    try {
      const [outcome] = await desk.retry([parked]);
      error = outcome ? outcome.error : `No read model ${model} is live.`;
    } catch (failure) {
      error = messageOf(failure);
    }
    busy.delete(model);
    if (error === null) known.delete(keyOf(parked));
    else known.set(keyOf(parked), { since, error });
    return error;
  }

  return {
    async start(parked) {
      const { model } = parked;
      if (busy.has(model))
        throw new Refusal('invalid_request', `Another event of ${model} is being retried. Wait until it is done.`);
      const { promise: enough, resolve } = Promise.withResolvers<null>();
      const timer = setTimeout(resolve, timeout, null);
      const error = await Promise.race([run(parked), enough]).finally(() => clearTimeout(timer));
      if (error !== null) throw new Refusal('invalid_request', `${model} still cannot process it: ${clip(error, 300)}`);
    },
    stateOf: (parked) => known.get(keyOf(parked)) ?? null,
    isBusy: () => busy.size > 0,
  };
}

/** Names them in the audit log. */
const subjectOf = ({ model, event_id }: Parked): string => `${model} ${event_id}`;
const subjectOfLetter = ({ group_name, topic, message_id }: DeadLetter): string =>
  `${group_name} ${topic} ${message_id}`;

const PATH = '/operate/parked';
/** Seconds after which the browser reloads the page while a retry runs. */
const RELOAD_SECONDS = 3;

const dropped = ({ dropped_by, dropped_why }: Parked): Markup =>
  html`<p>Dropped by ${clip(neutralise(dropped_by ?? ''), 60)}: ${clip(neutralise(dropped_why ?? ''), 300)}</p>`;

/** The button, or the state of the last retry. */
const retryState = (state: RetryState | null, button: Markup): Markup => {
  if (state === null) return button;
  const since = fullTime(state.since.toISOString());
  return state.error === null
    ? html`<p role="status">Retry running since ${since}. A read model that also reads topics is rebuilt next to the live one. This page reloads by itself.</p>`
    : html`<p class="wrong">Retry failed at ${since}: ${clip(neutralise(state.error), 500)}</p>${button}`;
};

const entry = ({ reader }: Operator, parked: Parked, index: number, state: RetryState | null): Markup => {
  const { model, event_id, type, input, error, event, parked_at, skipped } = parked;
  return html`<article class="case">
    <h2>${clip(neutralise(type), 60)}, in ${model}</h2>
    <p class="said">${fullTime(parked_at.toISOString())} · from ${clip(neutralise(input), 60)} · <code>${clip(neutralise(event_id), 60)}</code></p>
    <pre tabindex="0"><code>${clip(neutralise(error), 1_000)}</code></pre>
    <details><summary>Show the event</summary><pre tabindex="0"><code>${clip(neutralise(event), 4_000)}</code></pre></details>
    ${
      skipped
        ? dropped(parked)
        : html`${retryState(state, form(reader, `${PATH}/retry`, { model, event: event_id }, html`<button>Retry</button>`))}
    <details><summary>Drop permanently</summary>
      ${form(reader, `${PATH}/drop`, { model, event: event_id }, html`${whyField(`${index}`)}<p><button class="plain">Drop</button></p>`, 'narrow')}
    </details>`
    }
  </article>`;
};

const DEAD_LETTERS_SHOWN = 100;

const deadLetter = ({ reader }: Operator, letter: DeadLetter, index: number): Markup => {
  const { group_name, topic, message_id, type, kind, error, attempts, body, failed_at } = letter;
  const named = { group: group_name, topic, message: message_id };
  return html`<article class="case">
    <h2>${clip(neutralise(type || 'message without an event'), 60)}, in ${clip(group_name, 60)}</h2>
    <p class="said">${fullTime(failed_at.toISOString())} · ${kind}, ${attempts} ${attempts === 1 ? 'try' : 'tries'} · topic ${clip(topic, 60)} · <code>${clip(neutralise(message_id), 60)}</code></p>
    <pre tabindex="0"><code>${clip(neutralise(error), 1_000)}</code></pre>
    <details><summary>Show the message</summary><pre tabindex="0"><code>${clip(neutralise(body), 4_000)}</code></pre></details>
    ${
      letter.dropped_at
        ? html`<p>Dropped by ${clip(neutralise(letter.dropped_by ?? ''), 60)}: ${clip(neutralise(letter.dropped_why ?? ''), 300)}</p>`
        : html`${
            letter.retry_requested_at
              ? html`<p role="status">A retry was requested at ${fullTime(letter.retry_requested_at.toISOString())}. A running ${clip(group_name, 60)} handles it within seconds.</p>`
              : form(reader, `${PATH}/retry-message`, named, html`<button>Retry</button>`)
          }
    <details><summary>Drop permanently</summary>
      ${form(reader, `${PATH}/drop-message`, named, html`${whyField(`letter${index}`)}<p><button class="plain">Drop</button></p>`, 'narrow')}
    </details>`
    }
  </article>`;
};

export function parkedPage(server: FastifyInstance, site: Site): void {
  const { database, desk, now } = site;
  const retried = desk ? parkedRetries(desk, now) : null;
  async function find({ model, event }: Form): Promise<Parked> {
    const found = (await listParked(database, model)).find(({ event_id }) => event_id === event);
    if (!found)
      throw new Refusal('invalid_request', `No parked event has the id ${quoted(event)}. It may be processed already.`);
    return found;
  }
  async function findLetter({ group, topic, message }: Form): Promise<DeadLetter> {
    const found = (await listDeadLetters(database, group)).find(
      (letter) => letter.topic === topic && letter.message_id === message,
    );
    if (!found)
      throw new Refusal('invalid_request', `No dead letter has the id ${quoted(message)}. It may be handled already.`);
    return found;
  }
  operatorPage(server, site, {
    path: '/parked',
    title: 'Parked events',
    refreshAfter: () => (retried?.isBusy() ? RELOAD_SECONDS : undefined),
    async body(operator) {
      const parked = await listParked(database);
      const letters = await listDeadLetters(database);
      return html`${
        parked.length === 0
          ? html`<p class="empty">No parked events: the read models processed everything.</p>`
          : parked.slice(0, 100).map((one, index) => entry(operator, one, index, retried?.stateOf(one) ?? null))
      }
      <h2>Dead letters</h2>
      ${
        letters.length === 0
          ? html`<p class="empty">No dead letters: the consumers handled every message.</p>`
          : html`<p>Messages that a consumer could not handle, newest first${letters.length > DEAD_LETTERS_SHOWN ? html`; ${DEAD_LETTERS_SHOWN} of ${letters.length}, <code>clarity parked list</code> shows all` : ''}.</p>
        ${letters.slice(0, DEAD_LETTERS_SHOWN).map((letter, index) => deadLetter(operator, letter, index))}`
      }`;
    },
    actions: {
      async retry({ by }, sent) {
        if (!retried) throw new Refusal('invalid_request', 'This process cannot retry. Use "clarity parked retry".');
        const parked = await find(sent);
        await recordOperation(site, { operation: 'event_retried', subject: subjectOf(parked), by, why: null });
        await retried.start(parked);
      },
      async 'retry-message'({ by }, sent) {
        const letter = await findLetter(sent);
        await requestRetry(database, letter);
        await recordOperation(site, { operation: 'message_retried', subject: subjectOfLetter(letter), by, why: null });
      },
      async 'drop-message'({ by }, sent) {
        const [letter, why] = [await findLetter(sent), reasonIn(sent)];
        await dropDeadLetter(database, letter, { by, why });
        await recordOperation(site, { operation: 'message_dropped', subject: subjectOfLetter(letter), by, why });
      },
      async drop({ by }, sent) {
        const [parked, why] = [await find(sent), reasonIn(sent)];
        await dropParked(database, parked.model, parked.event_id, { by, why });
        await recordOperation(site, { operation: 'event_dropped', subject: subjectOf(parked), by, why });
      },
    },
  });
}
