/** The brands of an item: whom it is about (primary) and who else is named (secondary). */
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import { slugify } from '../../schemas/identity.ts';
import type { BrandMention } from '../../schemas/story.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { nameText } from './names.ts';
import type { Mention, Part, Reading } from './reading.ts';
import type { Span, Subject } from './subject.ts';
import { nameKey } from './tokens.ts';
import { INSTITUTIONS } from './verbs.ts';

const covers = (span: Span, mention: Span): boolean => span.first <= mention.first && mention.last <= span.last;
const touches = (span: Span, mention: Span): boolean => span.first <= mention.last && mention.first <= span.last;

/** Whether a name that is also an ordinary word means the brand here: it is the subject, or its context stands near. */
export function inContext(
  brand: CatalogueBrand,
  reading: Reading,
  catalogue: PreparedCatalogue,
  subject: boolean,
): boolean {
  const context = catalogue.contexts.get(brand.slug);
  if (!context) return true;
  const text = `${reading.title.folded}${reading.summary.folded}`;
  if (context.against.some((key) => text.includes(key))) return false;
  if (!brand.common_word) return true;
  return subject || context.near.some((key) => text.includes(key));
}

/** A mention of a catalogue brand that counts, with where it stands. */
function brandMentions(
  part: Part,
  reading: Reading,
  catalogue: PreparedCatalogue,
  subjects: readonly Span[],
): Mention[] {
  return part.mentions.filter((mention) => {
    if (!mention.brand) return false;
    const subject = subjects.some((span) => span.first === mention.first && covers(span, mention));
    return inContext(mention.brand, reading, catalogue, subject);
  });
}

const known = (brand: CatalogueBrand, role: 'primary' | 'secondary'): BrandMention => ({
  slug: brand.slug,
  name: brand.name,
  role,
  provisional: false,
});

const PERSON_ONLY = /^(?:\p{Lu}[\p{L}.']+\s){1,2}\p{Lu}[\p{L}']+$/u;

/** The brand that a name is, when the catalogue has it, by the whole of it or with a company's ending dropped. */
function byName(name: string, catalogue: PreparedCatalogue): CatalogueBrand | undefined {
  const key = nameKey(name);
  const bare = key.replace(/ (?:india|ltd|limited|group|brands?|retail)(?= $)/, '');
  return (catalogue.names.get(key) ?? catalogue.names.get(bare))?.brand;
}

const institution = (part: Part, span: Span): boolean =>
  INSTITUTIONS.has(part.tokens[span.last]?.fold ?? '') || INSTITUTIONS.has(part.tokens[span.first]?.fold ?? '');

/**
 * Chooses the brands. The names before the verb are primary, with what is bought, sold or backed; catalogue brands
 * elsewhere in the headline are secondary, those of the summary too, unless the headline names no company before its verb.
 */
export function brandsOf(reading: Reading, subject: Subject, catalogue: PreparedCatalogue): BrandMention[] {
  const { title, summary } = reading;
  const spans = [...subject.names, ...subject.objects];
  const mentions = brandMentions(title, reading, catalogue, subject.names);
  const chosen: BrandMention[] = [];
  const add = (brand: BrandMention): void => {
    if (!chosen.some((other) => other.slug === brand.slug)) chosen.push(brand);
  };
  for (const span of spans) {
    const name = nameText(title, span);
    const whole = byName(name, catalogue);
    const inside = mentions.filter((mention) => touches(span, mention));
    if (whole && inContext(whole, reading, catalogue, true)) add(known(whole, 'primary'));
    else if (inside.length > 0) for (const mention of inside) add(known(mention.brand as CatalogueBrand, 'primary'));
    else if (isName(name) && !institution(title, span) && !title.mentions.some((mention) => touches(span, mention)))
      add({ slug: slugify(name), name, role: 'primary', provisional: true });
  }
  const people = chosen.length > 0 && chosen.every((brand) => brand.provisional && PERSON_ONLY.test(brand.name));
  const rest = mentions.filter((mention) => !spans.some((span) => touches(span, mention)));
  if ((chosen.length === 0 || people) && rest.length > 0) {
    if (people) chosen.length = 0;
    for (const mention of rest) add(known(mention.brand as CatalogueBrand, 'primary'));
  }
  for (const mention of rest) add(known(mention.brand as CatalogueBrand, 'secondary'));
  const below = brandMentions(summary, reading, catalogue, []);
  for (const mention of below) {
    const brand = mention.brand as CatalogueBrand;
    if (chosen.length === 0 && mention.first < 12) add(known(brand, 'primary'));
  }
  return chosen;
}

/** A provisional name has a capital, is short, and is more than a number or one small word. */
function isName(name: string): boolean {
  const words = name.split(/\s+/);
  return words.length <= 5 && name.length >= 2 && name.length <= 60 && /\p{L}/u.test(name) && /\p{Lu}|^\d/u.test(name);
}
