/** What a learned model says of the words of a headline, combined with the rules for brands. */
import { type HeadlineContext, type NamedBrand, overlaps, toNamedBrand, toProvisional } from './brand-candidates.ts';
import { hasGivenName, hasPersonForm } from './company-names.ts';
import type { Span } from './headline-subject.ts';
import { INSTITUTIONS } from './model/lexicon.ts';

/** A run of words with the probabilities that it names a primary and a secondary brand; characters of the cleaned headline. */
export interface RoleSpan {
  readonly start: number;
  readonly end: number;
  readonly primary: number;
  readonly secondary: number;
}

/** How much the rules weigh, in log-odds of being primary: a name of the catalogue, and an unknown one. */
const RULE_WEIGHT = { known: 1.5, provisional: 1 } as const;
/** The probability of being primary from which a name that no rule found is taken. */
const NEW_NAME = 0.85;
const MAX_LOGIT = 5;

const logit = (p: number): number =>
  Math.max(-MAX_LOGIT, Math.min(MAX_LOGIT, Math.log(Math.max(p, 1e-6) / Math.max(1 - p, 1e-6))));

/** The words that a run of characters covers; null for none. */
function wordsOf({ reading: { title } }: HeadlineContext, { start, end }: RoleSpan): Span | null {
  const covered = title.tokens.filter((token) => token.start < end && start < token.end);
  const [first, last] = [covered[0], covered.at(-1)];
  return first && last ? { first: first.index, last: last.index } : null;
}

/**
 * Combines the brands of the rules with the learned roles. A brand changes its role where the model contradicts the rules
 * by more than they weigh; a name that no rule found is added when the model is sure and it can be the name of a company.
 * @param roles empty without a model: the brands are returned as they are
 */
export function applyRoles(
  desk: HeadlineContext,
  brands: readonly NamedBrand[],
  roles: readonly RoleSpan[],
): NamedBrand[] {
  if (roles.length === 0) return [...brands];
  const spans = roles.flatMap((role) => {
    const span = wordsOf(desk, role);
    return span ? [{ ...role, span }] : [];
  });
  const judged = brands.map((brand): NamedBrand => {
    const { span } = brand;
    if (!span) return brand;
    const near = spans.filter((each) => overlaps(each.span, span));
    const primary = Math.max(0.01, ...near.map((each) => each.primary));
    const weight = brand.provisional ? RULE_WEIGHT.provisional : RULE_WEIGHT.known;
    const score = logit(primary) + (brand.role === 'primary' ? weight : -weight);
    return { ...brand, role: score > 0 ? 'primary' : 'secondary' };
  });
  const added = spans.flatMap((each) => {
    if (each.primary < NEW_NAME || brands.some((brand) => brand.span && overlaps(brand.span, each.span))) return [];
    return newName(desk, each.span);
  });
  // A provisional name that is not primary names nobody whom the story is about: it is no brand.
  const kept = [...judged, ...added].filter((brand) => !brand.provisional || brand.role === 'primary');
  return [...kept.filter(({ role }) => role === 'primary'), ...kept.filter(({ role }) => role !== 'primary')];
}

/** The brand of words that only the model takes for one: never a person, a place or an authority. */
function newName({ reading: { title }, mentions }: HeadlineContext, span: Span): NamedBrand[] {
  const known = mentions.find((mention) => overlaps(mention, span));
  if (known) return [toNamedBrand(title, known, 'primary')];
  const words = title.tokens.slice(span.first, span.last + 1);
  const name = title.text.slice(words[0]?.start ?? 0, words.at(-1)?.end ?? 0);
  const elsewhere = title.mentions.some((each) => overlaps(each, span));
  if (elsewhere || !words[0]?.capital || hasGivenName(name) || hasPersonForm(name)) return [];
  if (words.some(({ fold }) => INSTITUTIONS.has(fold))) return [];
  return [toProvisional(name, 'primary', span)];
}
