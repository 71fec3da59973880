/**
 * Personal data in an append-only log: the fields that `schemas/access.ts` names are stored encrypted with a key
 * of their account. The keys are kept outside the log; when one is destroyed, those fields can never be read again, in
 * the log, in its copies, or in any read model that is rebuilt from it.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { accountOfAddress, namedAccount, type PersonalFields, personalFieldsOf } from '../schemas/access.ts';
import type { Event } from '../schemas/events.ts';
import type { EventStore, Page } from './event-store.ts';

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

const MARK = 'sealed:v1:';
/** `sealed:v1:<key id>:<nonce of 12 bytes, tag of 16 bytes and ciphertext, as base64url>` */
const SEALED = /^sealed:v1:([0-9a-f]{16}):([\w-]+)$/;

type Data = Record<string, unknown>;
const dataOf = (event: Pick<Event, 'data'>): Data => (event.data ?? {}) as Data;

/** Binds a ciphertext to its place, so that it cannot be copied into an event whose reader may see more. */
const placeOf = (event: Pick<Event, 'id'>, field: string): Buffer => Buffer.from(`${event.id} ${field}`);

function seal(text: string, key: PersonalKey, place: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce).setAAD(place);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${MARK}${key.id}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/**
 * Decrypts. What its key does not open was changed, or was moved here from another event: it comes back as an object,
 * which no schema of a text takes, so that this event alone is unreadable and the others go on.
 */
function unseal(payload: string, key: PersonalKey, place: Buffer): unknown {
  const bytes = Buffer.from(payload, 'base64url');
  const cipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, 12)).setAAD(place);
  try {
    cipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
  } catch {
    // The value itself says that it is unreadable, where a text is expected.
    return { unreadable: `personal data of key ${key.id} cannot be decrypted` };
  }
}

/** Personal fields of an event that hold a text, each with what replaces it after an erasure. */
function* fieldsOf(event: Event): Generator<{ field: string; text: string; erased: string; personal: PersonalFields }> {
  const data = dataOf(event);
  for (const personal of personalFieldsOf(event.type))
    for (const [field, erased] of Object.entries(personal.erased)) {
      const text = data[field];
      if (typeof text === 'string') yield { field, text, erased, personal };
    }
}

const withFields = <E extends Event>(event: E, fields: Data): E => ({
  ...event,
  data: { ...dataOf(event), ...fields },
});

/** Encrypts the personal fields of events that are about to be appended to a stream. */
async function sealed(
  inner: Pick<EventStore, 'read'>,
  keys: PersonalKeys,
  stream: string,
  events: readonly Event[],
): Promise<readonly Event[]> {
  let first: string | null | undefined;
  const ownerOf = async ({ owner }: PersonalFields, event: Event, text: string): Promise<string | null> => {
    if (owner === 'address') return accountOfAddress(text);
    if (owner === 'account_id') return namedAccount(event.data);
    if (first === undefined) first = namedAccount(((await inner.read(stream))[0] ?? events[0])?.data);
    return first;
  };
  const found: { index: number; field: string; text: string; account: string }[] = [];
  for (const [index, event] of events.entries())
    for (const { field, text, personal } of fieldsOf(event)) {
      const account = await ownerOf(personal, event, text);
      // Without an owner it could not be erased on request, and nothing says whose it is.
      if (account !== null) found.push({ index, field, text, account });
    }
  if (found.length === 0) return events;
  const held = await keys.ofAccounts([...new Set(found.map(({ account }) => account))]);
  const changed = [...events];
  for (const { index, field, text, account } of found) {
    const [event, key] = [changed[index], held.get(account)];
    if (!event || !key) throw new Error(`no key for the personal data of ${account}`);
    changed[index] = withFields(event, { [field]: seal(text, key, placeOf(event, field)) });
  }
  return changed;
}

/** Decrypts the personal fields of events that were read; what was erased is replaced. */
async function opened<E extends Event>(keys: PersonalKeys, events: readonly E[]): Promise<readonly E[]> {
  const found: { index: number; field: string; key: string; payload: string; erased: string }[] = [];
  for (const [index, event] of events.entries())
    for (const { field, text, erased } of fieldsOf(event)) {
      const [, key, payload] = (text.startsWith(MARK) && SEALED.exec(text)) || [];
      if (key && payload) found.push({ index, field, key, payload, erased });
    }
  if (found.length === 0) return events;
  const held = await keys.byIds([...new Set(found.map(({ key }) => key))]);
  const changed = [...events];
  for (const { index, field, key, payload, erased } of found) {
    const [event, secret] = [changed[index], held.get(key)];
    if (event)
      changed[index] = withFields(event, {
        [field]: secret ? unseal(payload, secret, placeOf(event, field)) : erased,
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
  const page = async ({ events, position }: Page): Promise<Page> => ({ events: await opened(keys, events), position });
  return {
    append: async (stream, events, expected) =>
      inner.append(stream, await sealed(inner, keys, stream, events), expected),
    read: async (stream, fromRevision) => opened(keys, await inner.read(stream, fromRevision)),
    readAll: async (options) => page(await inner.readAll(options)),
    async *subscribe(options) {
      for await (const next of inner.subscribe(options)) yield await page(next);
    },
    head: () => inner.head(),
    close: () => inner.close(),
  };
}
