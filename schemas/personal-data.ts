/** Which fields of which events are personal data, and whose. The event store encrypts them with a key per account. */
import { z } from 'zod';
import { accountIdOf } from './access.ts';

/** Replaces a name or a text of an account that was erased. */
export const ERASED = 'erased';
/** Replaces its e-mail address: valid by form, and never delivered to (RFC 2606). */
export const ERASED_EMAIL = 'erased@erased.invalid';

/** How the account that owns the personal fields of an event is found. */
type Owner =
  /** Named by the event itself. */
  | 'account_id'
  /** Named by the first event of the stream. */
  | 'first_event'
  /** The account of the e-mail address in the field. */
  | 'address';

export interface PersonalFields {
  readonly owner: Owner;
  /** By field: what a reader gets after the account was erased. It satisfies the schema of the field. */
  readonly erased: Readonly<Record<string, string>>;
}

const PERSONAL: Readonly<Record<string, PersonalFields>> = {
  AccountOpened: { owner: 'account_id', erased: { name: ERASED } },
  KeyIssued: { owner: 'account_id', erased: { name: ERASED } },
  ApplicationSubmitted: { owner: 'account_id', erased: { email: ERASED_EMAIL, use: ERASED } },
  BriefSubscribed: { owner: 'account_id', erased: { email: ERASED_EMAIL } },
  ProposalSubmitted: { owner: 'address', erased: { email: ERASED_EMAIL } },
  SessionStarted: { owner: 'account_id', erased: { slug: ERASED } },
  QuestionAnswered: { owner: 'first_event', erased: { question: ERASED, content: ERASED } },
  ResearchRequested: { owner: 'account_id', erased: { topic: ERASED } },
  ResearchCompleted: { owner: 'first_event', erased: { report_markdown: ERASED } },
};

/** Any event may name who caused it, in `by`; where that is an e-mail address, it is personal. */
const AUTHOR: PersonalFields = { owner: 'address', erased: { by: ERASED } };

/** An e-mail address within a longer text, such as `operator asha@example.com`. */
const ADDRESS = /[^\s<>"]+@[^\s<>"]+/;

const Named = z.object({ account_id: z.string() });

/** The personal fields of events of a type; none for most. The author in `by` comes first. */
export const personalFieldsOf = (type: string): readonly PersonalFields[] => OF_TYPE.get(type) ?? OF_OTHERS;

const OF_OTHERS: readonly PersonalFields[] = [AUTHOR];
const OF_TYPE: ReadonlyMap<string, readonly PersonalFields[]> = new Map(
  Object.entries(PERSONAL).map(([type, own]) => [type, [AUTHOR, own]]),
);

/** The account that an event names; null when it names none. */
export const namedAccount = (data: unknown): string | null => Named.safeParse(data).data?.account_id ?? null;

/** The account of the e-mail address that a text contains; null when it contains none. */
export function accountOfAddress(text: string): string | null {
  const address = text.includes('@') ? ADDRESS.exec(text)?.[0] : undefined;
  return address ? accountIdOf(address.toLowerCase()) : null;
}
