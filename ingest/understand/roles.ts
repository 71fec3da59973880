/** Who is primary: the parts that companies play in a headline. */
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import { type Desk, isPerson, type NamedBrand } from './naming.ts';
import type { Mention } from './reading.ts';
import type { Subject } from './subject.ts';

/** Puts those who sell a stake or back somebody behind the one whose stake it is. */
export function roles(subject: Subject, actors: NamedBrand[], objects: NamedBrand[]): NamedBrand[] {
  const aside = actors.map((brand) => ({ ...brand, role: 'secondary' as const }));
  const named = actors.some((brand) => !brand.provisional) ? actors.filter((brand) => !isPerson(brand)) : actors;
  if (objects.length === 0) return named;
  // A company that invests in something unnamed invests in itself: `Grasim to invest Rs 3,094 crore in Lyocell`.
  if (
    subject.act === 'invest' &&
    objects.every((brand) => brand.provisional) &&
    actors.some((brand) => !isPerson(brand) && !INVESTOR.test(brand.name))
  )
    return named;
  if (subject.act === 'role') {
    const companies = actors.filter((brand) => !isPerson(brand));
    return companies.length > 0 ? companies : objects;
  }
  // What a company ties up with is a company: `Uniqlo Partners with Cotton Farmers` names one alone.
  if (subject.act === 'partner')
    return [...named, ...objects.filter((brand) => !brand.provisional || !GROUPS.test(brand.name))];
  if (subject.act === 'sell' || subject.act === 'invest') return [...objects, ...aside];
  return [...actors, ...objects];
}

const GROUPS =
  /^(?:AI|New|Cotton|Local|Indian|School|Clinical)\b|\b(?:farmers|groups?|trust|tool|artisans|government|institute|university|kapoor|students|creators|chef|platform)\b/i;
const INVESTOR = /\b(?:capital|ventures?|partners|vc|fund|investments?|angels?|network|equity)\b/i;

const SHARED =
  /\b(?:launch(?:es|ed)?|unveils?|introduces?|opens?|to launch|enters? .{3,60} with|brings?|partners?|ties up|teams up|collaborat\w+|partnership with|jv with|overtakes|expands?)\b/i;

const isParent = (chosen: readonly NamedBrand[], brand: CatalogueBrand | undefined): boolean =>
  brand?.parent !== undefined && chosen.some((other) => other.slug === brand.parent);

/** Whether a brand named after the verb shares the move: it is opened, launched or partnered with, not just a channel. */
export function shares(desk: Desk, subject: Subject, mention: Mention, chosen: readonly NamedBrand[]): boolean {
  const { title } = desk.reading;
  const verb = title.tokens[subject.verb];
  if (!verb || mention.first <= subject.verb) return false;
  const between = title.text.slice(verb.start, title.tokens[mention.first]?.start);
  const next = title.tokens[mention.last + 1];
  if (/^(?:stake|shares|ipo|acquisition|takeover)$/.test(next?.fold ?? '') && !/\bamid\b/i.test(between)) return true;
  if (isParent(chosen, mention.brand) && !/,|\b(?:as|amid|for)\b/i.test(between)) return true;
  if (
    between.length > 60 ||
    between.includes(',') ||
    /\b(?:on|via|across|through|from|amid|after|at|vs|against|of|by|like)\s+(?:\S+\s){0,1}$/i.test(between)
  )
    return false;
  return SHARED.test(between);
}
