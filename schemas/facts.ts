/**
 * The facts of a story, whatever their kinds: the fields that hold them, and what is done with these fields when reports
 * are compared, merged and corrected. Pure.
 */
import { z } from 'zod';
import * as KINDS from '../facts/fields.ts';
import type { StoredFact } from './stored-fact.ts';

type Kinds = typeof KINDS;
export type FactKindName = keyof Kinds;
/** A field that operators correct. */
export type FactField = Kinds[FactKindName]['field'];

type Joined<Shapes> = (Shapes extends unknown ? (shape: Shapes) => void : never) extends (shape: infer All) => void
  ? All
  : never;

type AnyKind = StoredFact<z.ZodObject, Record<string, z.ZodType>, string>;

const kindsByName = new Map(
  Object.entries(KINDS as unknown as Record<string, AnyKind>).toSorted(([one], [other]) => (one < other ? -1 : 1)),
);
const kinds = [...kindsByName.values()];

/** The fields of a story that hold facts. */
export const FACT_FIELDS = Object.assign({}, ...kinds.map(({ fields }) => fields)) as Joined<
  Kinds[FactKindName]['fields']
>;
const Facts = z.object(FACT_FIELDS);
export type Facts = z.infer<typeof Facts>;

/** The fields that operators correct. */
export const CORRECTABLE_FACTS = kinds.map(({ field }) => field) as FactField[];

/** Fields by name, of a text or a correction. */
type Fields = Readonly<Record<string, unknown>>;
const fieldsOfKind = ({ fields }: AnyKind): string[] => Object.keys(fields);
const pick = (text: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (text[name] === undefined ? [] : [[name, text[name]]])));
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const emptyOf = (schema: z.ZodType): null | [] => (schema.safeParse(null).success ? null : []);

/** The facts in fields of one kind: lists and single facts, one after the other. */
const listed = (text: Fields, names: readonly string[]): unknown[] =>
  names.flatMap((name) => (text[name] as unknown[] | null | undefined) ?? []);

/** The facts of a kind that a text states. */
export function statedFacts<Kind extends FactKindName>(
  text: Partial<Facts>,
  name: Kind,
): z.output<Kinds[Kind]['schema']>[] {
  const kind = kindsByName.get(name);
  return (kind ? listed(text, fieldsOfKind(kind)) : []) as z.output<Kinds[Kind]['schema']>[];
}

/** The fields of a story that hold these facts of a kind; a field that may be unset is missing where there is none. */
export function fieldsWith(name: FactKindName, facts: readonly unknown[]): Partial<Facts> {
  const kind = kindsByName.get(name);
  if (!kind) return {};
  const [field, continued] = [kind.field, Object.keys(kind.fields).find((one) => one !== kind.field)];
  const schema = kind.fields[field] as z.ZodType;
  if (facts.length === 0 && schema.safeParse(undefined).success) return {};
  if (Array.isArray(emptyOf(schema))) return { [field]: facts };
  const [first = null, ...others] = facts;
  return {
    [field]: first,
    ...(continued && others.length > 0 && { [continued]: others }),
  };
}

/** Every field with no facts; fields that may be unset are undefined. */
export const noFacts = (): Facts =>
  Object.fromEntries(
    Object.entries(FACT_FIELDS).map(([name, schema]) => [
      name,
      schema.safeParse(undefined).success ? undefined : emptyOf(schema),
    ]),
  ) as unknown as Facts;

/** The fields of a text that hold facts. */
export const factFieldsOf = <Text extends Partial<Facts>>(text: Text): Pick<Text, keyof Facts & keyof Text> =>
  pick(text, Object.keys(FACT_FIELDS)) as Pick<Text, keyof Facts & keyof Text>;

/** Whether a text states a fact of any kind. */
export const statesFacts = (text: Partial<Facts>): boolean =>
  Object.keys(FACT_FIELDS).some((name) => !isEmpty((text as Fields)[name]));

/** The facts of a text, with those of another one for the kinds of which it states none. */
export const completedFacts = (text: Facts, other: Facts): Partial<Facts> =>
  Object.assign(
    {},
    ...kinds.map((kind) => pick(isEmpty((text as Fields)[kind.field]) ? other : text, fieldsOfKind(kind))),
  );

/** The kinds of a correction with no facts: what a correction leaves of the reports whose text it is not. */
export const withoutCorrected = (corrected: Partial<Facts>): Partial<Facts> =>
  Object.assign(
    {},
    ...kinds
      .filter(({ field }) => (corrected as Fields)[field] !== undefined)
      .map(({ fields }) => Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, emptyOf(one)]))),
  );

/** A correction in which fields that continue a corrected one are corrected with it, to none where they are unset. */
export const withContinued = <Corrected extends Partial<Facts>>(corrected: Corrected): Corrected => ({
  ...withoutCorrected(corrected),
  ...corrected,
});

/** How many of the kinds have a detail in their first fact. */
export const factDetails = (text: Partial<Facts>): number =>
  kinds.filter((kind) => {
    const [first] = listed(text, fieldsOfKind(kind));
    return Boolean(first && kind.details?.(first as Record<string, unknown>));
  }).length;

/** What a text states in a field that operators correct, in words; null for nothing. */
export function factWords(text: Partial<Facts>, field: FactField): string | null {
  const kind = kinds.find((one) => one.field === field);
  if (!kind) return null;
  const parts = listed(text, fieldsOfKind(kind)).map((fact) =>
    kind
      .words(fact as Record<string, unknown>)
      .filter((word) => word !== null && word !== undefined && word !== '')
      .join(', '),
  );
  return parts.filter(Boolean).join('; ') || null;
}
