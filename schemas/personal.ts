/**
 * What the fields of events are to people. Each event, or each of its fields, is declared: `personal` fields are stored
 * encrypted with a key of the account that they belong to (`log/personal-data.ts`), `open` ones as they are. `by`, the
 * author of an event, is personal in all of them where it contains an e-mail address. `test/schemas/personal.test.ts`
 * fails for a text that is not declared.
 */
import { z } from 'zod';

/** Replaces a name or a text of an account that was erased. */
export const ERASED = 'erased';
/** Replaces its e-mail address: valid by form, and never delivered to (RFC 2606). */
export const ERASED_EMAIL = 'erased@erased.invalid';

/** How the account that owns a personal field is found. */
type Owner =
  /** Named by the event itself. */
  | 'account_id'
  /** Named by the first event of the stream. */
  | 'first_event'
  /** The account of the e-mail address that the field contains; a text without one is nobody's. */
  | 'address'
  /** The account of the e-mail address in the field `email` of the event; without one the field is nobody's. */
  | 'email';

export interface PersonalField {
  readonly owner: Owner;
  /** What a reader gets after the account was erased. It satisfies the schema of the field. */
  readonly erased: unknown;
}

const DECLARED = z.registry<{ readonly personal: PersonalField | null }>();

/** Declares a field of an event that is a person's own. @returns the schema itself */
export function personal<S extends z.ZodType>(schema: S, owner: Owner, erased: z.output<S>): S {
  DECLARED.add(schema, { personal: { owner, erased } });
  return schema;
}

/** Declares a field, or all fields of an event, that no person wrote for themselves. @returns the schema itself */
export function open<S extends z.ZodType>(schema: S): S {
  DECLARED.add(schema, { personal: null });
  return schema;
}

/** Declares all fields of all versions of some events as `open`. @returns the events themselves */
export function openEvents<E extends Readonly<Record<string, Readonly<Record<number, z.ZodType>>>>>(events: E): E {
  for (const versions of Object.values(events)) for (const schema of Object.values(versions)) open(schema);
  return events;
}

/** How a schema was declared; undefined when it was not. */
export const declared = (schema: z.ZodType): { readonly personal: PersonalField | null } | undefined =>
  DECLARED.get(schema);

const AUTHOR: PersonalField = { owner: 'address', erased: ERASED };

/** The personal fields of an event by name. @param schema of its data */
export function personalFields(schema: z.ZodType): ReadonlyMap<string, PersonalField> {
  const fields = new Map([['by', AUTHOR]]);
  if (schema instanceof z.ZodObject)
    for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
      const personalField = declared(field)?.personal;
      if (personalField) fields.set(name, personalField);
    }
  return fields;
}
