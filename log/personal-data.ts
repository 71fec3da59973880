/**
 * Personal data in an append-only log: the fields that the schemas of events declare are stored encrypted with a key
 * of their account. The keys are kept outside the log; when one is destroyed, those fields can never be read again, in
 * the log, in its copies, or in any read model that is rebuilt from it.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { accountOfAddress, namedAccount } from '../schemas/access.ts';
import { SESSION_PREFIX } from '../schemas/ask.ts';
import { type Event, personalFieldsOf } from '../schemas/events.ts';
import type { PersonalField } from '../schemas/personal.ts';
import { type EventStore, type Page, type Position, pagesOf, type StoredEvent } from './event-store.ts';

/** A key of an account. */
export interface PersonalKey {
  /** 16 hexadecimal characters, drawn at random: an account that comes back after it was erased gets another key. */
  readonly id: string;
  /** 32 bytes, for AES-256-GCM. */
  readonly secret: Buffer;
}

export interface PersonalKeys {
  /** The keys of accounts; an account without one gets it now. */
  ofAccounts(accounts: readonly string[]): Promise<ReadonlyMap<string, PersonalKey>>;
  /** Keys by id; those that were destroyed are missing. */
  byIds(ids: readonly string[]): Promise<ReadonlyMap<string, PersonalKey>>;
}

/** A text, and a value that is stored as JSON: a field may be a list or an object. */
const MARKS = { text: 'sealed:v1:', json: 'sealed:v2:' } as const;
/** `sealed:v1:<key id>:<nonce of 12 bytes, tag of 16 bytes and ciphertext, as base64url>` */
const SEALED = /^sealed:(v[12]):([0-9a-f]{16}):([\w-]+)$/;

type Data = Record<string, unknown>;
const dataOf = (event: Pick<Event, 'data'>): Data => (event.data ?? {}) as Data;

/** Binds a ciphertext to its place, so that it cannot be copied into an event whose reader may see more. */
const placeOf = (event: Pick<Event, 'id'>, field: string): Buffer => Buffer.from(`${event.id} ${field}`);

function seal(value: unknown, key: PersonalKey, place: Buffer): string {
  const isText = typeof value === 'string';
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce).setAAD(place);
  const sealed = Buffer.concat([cipher.update(isText ? value : JSON.stringify(value), 'utf8'), cipher.final()]);
  const mark = isText ? MARKS.text : MARKS.json;
  return `${mark}${key.id}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/**
 * Decrypts. What its key does not open was changed, or was moved here from another event: it comes back as an object,
 * which no schema of a text takes, so that this event alone is unreadable and the others go on.
 */
function unseal({ version, payload }: SealedField, key: PersonalKey, place: Buffer): unknown {
  const bytes = Buffer.from(payload, 'base64url');
  const cipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, 12)).setAAD(place);
  try {
    cipher.setAuthTag(bytes.subarray(12, 28));
    const text = Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
    return version === 'v1' ? text : JSON.parse(text);
  } catch {
    // The value itself says that it is unreadable, where another is expected.
    return { unreadable: `personal data of key ${key.id} cannot be decrypted` };
  }
}

/** A personal field of an event that has a value. */
interface FieldValue {
  readonly field: string;
  readonly value: unknown;
  readonly personal: PersonalField;
}

function fieldsOf(event: Event): FieldValue[] {
  const data = dataOf(event);
  return [...personalFieldsOf(event.type)].flatMap(([field, personal]) => {
    const value = data[field];
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [{ field, value, personal }];
  });
}

interface SealedField {
  readonly version: string;
  readonly key: string;
  readonly payload: string;
}

function sealedField(value: unknown): SealedField | null {
  const [, version, key, payload] = (typeof value === 'string' && SEALED.exec(value)) || [];
  return version && key && payload ? { version, key, payload } : null;
}

const withFields = <E extends Event>(event: E, fields: Data): E => ({
  ...event,
  data: { ...dataOf(event), ...fields },
});

/** @param first the account that the first event of the stream names */
async function ownerOf({ field, value, personal }: FieldValue, event: Event, first: () => Promise<string | null>) {
  switch (personal.owner) {
    case 'account_id':
      return namedAccount(event.data);
    case 'first_event':
      return first();
    case 'address':
      return accountOfAddress(String(value));
    case 'email': {
      const email = field === 'email' ? value : dataOf(event).email;
      return typeof email === 'string' ? accountOfAddress(email) : null;
    }
  }
}

/** A value that is to be encrypted: the place of its event in the list, its field, and whose it is. */
interface Unsealed extends FieldValue {
  readonly index: number;
  readonly account: string;
}

/** The personal values of events that are stored as they are. @param events of one stream */
async function unsealedFields(
  events: readonly Event[],
  firstEvent: () => Promise<Event | undefined>,
): Promise<readonly Unsealed[]> {
  let first: Promise<string | null> | undefined;
  const firstAccount = (): Promise<string | null> => {
    first ??= firstEvent().then((event) => namedAccount(event?.data));
    return first;
  };
  const unsealed: Unsealed[] = [];
  for (const [index, event] of events.entries())
    for (const one of fieldsOf(event)) {
      const account = await ownerOf(one, event, firstAccount);
      // Without an owner it could not be erased on request, and nothing says whose it is.
      if (account !== null) unsealed.push({ ...one, index, account });
    }
  return unsealed;
}

function withSealed<E extends Event>(
  events: readonly E[],
  unsealed: readonly Unsealed[],
  keys: ReadonlyMap<string, PersonalKey>,
): readonly E[] {
  const changed = [...events];
  for (const { index, field, value, account } of unsealed) {
    const [event, key] = [changed[index], keys.get(account)];
    if (!event || !key) throw new Error(`no key for the personal data of ${account}`);
    changed[index] = withFields(event, { [field]: seal(value, key, placeOf(event, field)) });
  }
  return changed;
}

const accountsIn = (unsealed: readonly Unsealed[]): readonly string[] => [
  ...new Set(unsealed.map(({ account }) => account)),
];

/** Encrypts the personal fields of events that are about to be appended to a stream. */
async function sealed(
  inner: Pick<EventStore, 'read'>,
  keys: PersonalKeys,
  stream: string,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const unsealed = await unsealedFields(events, async () => (await inner.read(stream))[0] ?? events[0]);
  if (unsealed.length === 0) return events;
  return withSealed(events, unsealed, await keys.ofAccounts(accountsIn(unsealed)));
}

/** Decrypts the personal fields of events that were read; what was erased is replaced. */
async function opened<E extends Event>(keys: PersonalKeys, events: readonly E[]): Promise<readonly E[]> {
  const sealedFields = events.flatMap((event, index) =>
    fieldsOf(event).flatMap(({ field, value, personal }) => {
      const content = sealedField(value);
      return content ? [{ index, field, content, erased: personal.erased }] : [];
    }),
  );
  if (sealedFields.length === 0) return events;
  const held = await keys.byIds([...new Set(sealedFields.map(({ content }) => content.key))]);
  const changed = [...events];
  for (const { index, field, content, erased } of sealedFields) {
    const [event, secret] = [changed[index], held.get(content.key)];
    if (event)
      changed[index] = withFields(event, {
        [field]: secret ? unseal(content, secret, placeOf(event, field)) : erased,
      });
  }
  return changed;
}

/**
 * An event store that encrypts personal data on append and decrypts it on every read. Callers see plain events; what
 * the inner store keeps can be read only with the keys.
 * @param inner stays the caller's only way to the stored bytes; closing this store closes it
 */
export function protectPersonalData(inner: EventStore, keys: PersonalKeys): EventStore {
  const page = async ({ events, ...place }: Page): Promise<Page> => ({ events: await opened(keys, events), ...place });
  return {
    append: async (stream, events, expected) =>
      inner.append(stream, await sealed(inner, keys, stream, events), expected),
    read: async (stream, fromRevision) => opened(keys, await inner.read(stream, fromRevision)),
    readAll: async (options) => page(await inner.readAll(options)),
    async *subscribe(options) {
      for await (const next of inner.subscribe(options)) yield await page(next);
    },
    head: () => inner.head(),
    has: (position, id) => inner.has(position, id),
    takesAppends: inner.takesAppends,
    close: () => inner.close(),
  };
}

/** The part of a log that can change what is stored. */
export interface StoredEvents {
  /** Stores other data under events that are in the log already. @returns how many of them it could change */
  rewrite(events: readonly StoredEvent[]): Promise<number>;
  /** Hides the events of a stream before a revision; the store removes them for good when it is compacted. */
  hide(stream: string, before: number): Promise<void>;
}

export interface SealedLog {
  /** Events that are encrypted now. */
  readonly sealed: number;
  /** Streams of erased accounts whose events are hidden, where events cannot be rewritten. */
  readonly hidden: number;
  /** Events that are still stored as they were, in a store that rewrites nothing. */
  readonly plain: number;
}

/**
 * Encrypts what was stored before its field was declared personal. Data of accounts that are erased is encrypted with a
 * key that nobody keeps. Done again, it changes nothing.
 * @param log the store without encryption
 * @param erased accounts that were erased and not opened again
 * @param progress called with the position that is read
 */
export async function sealStored(
  log: Pick<EventStore, 'read' | 'readAll'> & StoredEvents,
  keys: PersonalKeys,
  { erased, progress }: { readonly erased: ReadonlySet<string>; readonly progress: (position: Position) => void },
): Promise<SealedLog> {
  const done = { sealed: 0, hidden: 0, plain: 0 };
  const lost = { id: randomBytes(8).toString('hex'), secret: randomBytes(32) };
  for await (const page of pagesOf(log, { after: 0n })) {
    for (const event of page.events) {
      const unsealed = (await unsealedFields([event], async () => (await log.read(event.stream))[0] ?? event)).filter(
        ({ value }) => !sealedField(value),
      );
      if (unsealed.length === 0) continue;
      const accounts = accountsIn(unsealed);
      const held = await keys.ofAccounts(accounts.filter((account) => !erased.has(account)));
      const ofAll = new Map(accounts.map((account) => [account, held.get(account) ?? lost]));
      const changed = await log.rewrite(withSealed([event], unsealed, ofAll));
      done.sealed += changed;
      if (changed > 0) continue;
      done.plain++;
      if (event.stream.startsWith(SESSION_PREFIX) && accounts.every((account) => erased.has(account))) {
        const last = (await log.read(event.stream)).at(-1);
        if (last?.type !== 'SessionErased') continue;
        await log.hide(event.stream, last.revision);
        done.hidden++;
      }
    }
    progress(page.position);
  }
  return done;
}
