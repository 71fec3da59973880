/**
 * Evidence for an answer: reports, which signals group. A report is what is quoted and cited; the words by which a signal is
 * found are those of all its reports. Words of a question and of a text mean the same by stem, or when they say the same
 * in the trade.
 */

import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { istDay } from '../language/days.ts';
import { splitSentences } from '../language/prose.ts';
import { stem } from '../language/words.ts';
import type { FoundReport, FoundSignal } from '../projector/models/search-queries.ts';
import { roundsIn } from './question/query-words.ts';
import { presentSlugs } from './question/record-names.ts';
import type { TypedQuery } from './question/typed-query.ts';

/** Words that say the same in headlines of the trade, each group by one stem. */
const GROUPS = [
  'shop store outlet showroom door cafe restaurant boutique branch',
  'shut close closure exit wind shutter curtain lose vacate',
  'open launch debut inaugurate unveil start begin',
  'enter entry foray debut diversify',
  'raise secure bag get fund funding fundraise mop net pick investment invest infusion round cheque money',
  'money crore lakh million rs',
  'capex invest investment outlay',
  'buy acquire acquisition purchase takeover snap bought buyout',
  'appoint appointment hire join name onboard rope elevate promote head lead succeed',
  'resign quit leave exit step depart departure',
  'ceo chief executive boss',
  'cfo finance financial',
  'cmo marketing',
  'cto technology',
  'coo operating operations',
  'chro human people hr',
  'profit earning earn income pat',
  'revenue sale turnover topline business',
  'price pricing cost costlier expensive hike',
  'rule regulation regulator law order norm policy mandatory',
  'fine penalty penalise',
  'court lawsuit case legal dispute trademark sue petition',
  'deliver delivery',
  'partner partnership tie collaborate collaboration team alliance',
  'ipo listing list public',
  'drhp udrhp draft paper prospectus file filing',
  'merge merger union',
  'ambassador sign endorse endorsement',
  'jewellery jeweller jewelry gold diamond',
  'beauty cosmetic makeup skincare',
  'footwear shoe sneaker',
  'grocery food supermarket',
  'phone smartphone mobile',
  'pet dog cat',
  'sell sold sale seller offload divest stake',
  'block bulk offload',
  'cut lower reduce slash cheaper',
  'build plant factory facility unit manufacturing',
  'warehouse logistics distribution hub',
  'lose suspend cancel revoke cost',
  'slow slower slowdown pause',
  'network count tally total',
  'valuation valued value worth',
  'milestone mark reach cross touch',
  'bankruptcy bankrupt insolvency insolvent',
  'target aim goal project projection guidance outlook vision expect forecast',
  'japanese japan',
  'korean korea seoul',
  'american us usa america',
  'chinese china',
  'italian italy',
  'french france paris',
  'british uk britain',
  'german germany',
  'swiss switzerland',
  'russian russia',
  'clear approve nod allow permit approval',
  'grow rise jump climb increase gain surge soar zoom',
  'fall drop slip decline shrink dip slump plunge tumble slide',
  'layoff job retrench sack fire workforce',
  'headcount workforce',
  'employee staff workforce',
  'celebrity actor actress cricketer cricket bollywood film star',
  'heat heatwave summer',
  'whisky whiskey scotch',
  'usfda fda',
  'programme program scheme',
  'second 2nd',
  'third 3rd',
  'fourth 4th',
  'fifth 5th',
  'sixth 6th',
  'seventh 7th',
  'eighth 8th',
  'ninth 9th',
  'tenth 10th',
  'fiftieth 50th',
  'hundredth 100th',
  'recall withdraw',
  'franchise franchisee licence license',
  'ai artificial intelligence',
  'quick instant rapid',
  'watch timepiece',
  'eyewear spectacle optical',
  'apparel fashion clothing garment ethnic',
  'mall shopping',
  'rent lease leasing',
].map((group) => group.split(' ').map(stem));

const groupOf = new Map<string, number[]>();
for (const [index, group] of GROUPS.entries())
  for (const word of group) groupOf.set(word, [...(groupOf.get(word) ?? []), index]);

/** "Lays off 40 people" is a layoff, in two words that say nothing apart. */
const LAID_OFF = /\bla(?:y|ys|id|ying)[ -]off\b/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text, folded: lower case without accents and apostrophes. */
function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .replace(LAID_OFF, 'layoff')
    .replace(/(\d),(?=\d{2,3}\b)/g, '$1');
  return [...[...folded.matchAll(WORD)].map(([word]) => word), ...roundsIn(folded)];
}

/**
 * Remembers what a function makes of the texts that it was given last: candidates of one question are those of the next.
 * @param maximum of values that are kept; those of the half that was used last are among them
 */
function remembered<Value>(make: (text: string) => Value, maximum: number): (text: string) => Value {
  let [values, older] = [new Map<string, Value>(), new Map<string, Value>()];
  return (text) => {
    const before = values.get(text);
    if (before !== undefined) return before;
    if (values.size >= maximum / 2) [values, older] = [new Map(), values];
    const value = older.get(text) ?? make(text);
    values.set(text, value);
    return value;
  };
}

/** The stems that match a word: its own, which is the first, and those of words that say the same. */
const matching = remembered((word) => {
  const own = stem(word);
  return [...new Set([own, ...(groupOf.get(own) ?? []).flatMap((index) => GROUPS[index] ?? [])])];
}, 5_000);

/** Stems of the words of a name, in order. */
const stemsOfName = remembered((name) => wordsOf(name).map(stem), 5_000);

/** The stems of a text. */
export const stemsOf = remembered((text): ReadonlySet<string> => new Set(wordsOf(text).map(stem)), 4_000);

/** Whether a text has a word, or one that says the same. */
export const hasWord = (stems: ReadonlySet<string>, word: string): boolean =>
  matching(word).some((one) => stems.has(one));

/** Whether a text has a word itself, not merely one that says the same. */
export const hasOwnWord = (stems: ReadonlySet<string>, word: string): boolean => stems.has(matching(word)[0] ?? '');

/** Whether a text has every word of a name. */
export const hasName = (stems: ReadonlySet<string>, name: string): boolean => {
  const words = stemsOfName(name);
  return words.length > 0 && words.every((word) => stems.has(word));
};

/** Whether evidence is about a brand, is marked with it, or has its name. */
export const namesBrand = (
  { about, signal, stems }: Pick<Evidence, 'about' | 'signal' | 'stems'>,
  { slug, name }: TypedQuery['brands'][number],
): boolean => about.includes(slug) || signal.brands.some((brand) => brand.slug === slug) || hasName(stems, name);

/** A report that may be quoted and cited. */
export interface ReportEvidence extends FoundReport {
  /** The stored text: the title, and on the next line the summary. Quotations are parts of it, and their offsets count in it. */
  readonly text: string;
  /** The title and the sentences of the summary, each a part of `text`. */
  readonly lines: readonly string[];
  /** Stems of the text. */
  readonly stems: ReadonlySet<string>;
}

/** A signal that was found, with its reports. Nothing but the text of a report is evidence: what was added to it is not. */
export interface Evidence extends FoundSignal {
  /** Every report that counts, from first to last; at least one. */
  readonly reports: readonly ReportEvidence[];
  /** The title by which the signal is quoted: its headline, where a report has it. */
  readonly headline: string;
  /** The lines of all reports, each once, one below the other: to look for what a report says, and not to quote across them. */
  readonly stored: string;
  /** Stems of everything by which the signal is known. */
  readonly stems: ReadonlySet<string>;
  /** Stems of the titles of its reports. */
  readonly titleStems: ReadonlySet<string>;
  /** IST day on which it moved, as far as that is known. */
  readonly day: string;
}

/** The stored text of a report, as `ReportEvidence` describes it. */
export const storedText = ({ title, summary }: Pick<FoundReport, 'title' | 'summary'>): string =>
  summary === null ? title : `${title}\n${summary}`;

const reportEvidence = (report: FoundReport): ReportEvidence => ({
  ...report,
  text: storedText(report),
  stems: new Set(wordsOf(storedText(report)).map(stem)),
  lines: [report.title, ...(report.summary === null ? [] : splitSentences(report.summary))],
});

/** A build of an earlier version of the read model has no reports: the signal cites one. */
const reportsOf = ({ signal, reports }: FoundSignal): readonly FoundReport[] => {
  if (reports.length > 0) return reports;
  const { headline: title, source, url } = signal;
  return [{ outlet: source.outlet ?? 'a source', url: source.url ?? url, title, summary: null, published_at: null }];
};

type Texts = Pick<Evidence, 'reports' | 'headline' | 'stored' | 'stems' | 'titleStems'>;
/** What was made of signals that are kept read, by their reports. */
const madeTexts = new WeakMap<object, Pick<FoundSignal, 'signal' | 'facts'> & { readonly texts: Texts }>();

/** The reports that may be cited of a signal, and the words by which a question is compared with it. */
function textsOf(signalRow: FoundSignal): Texts {
  const { signal, facts } = signalRow;
  const before = madeTexts.get(signalRow.reports);
  if (before?.signal === signal && before.facts === facts) return before.texts;
  const reports = reportsOf(signalRow).map(reportEvidence);
  const own = reports.find(({ outlet, url }) => outlet === signal.source.outlet && url === signal.source.url);
  const has = reports.some(({ text }) => text.includes(signal.headline));
  const headline = has ? signal.headline : ((own ?? reports[0])?.title ?? signal.headline);
  const stored = [...new Set([headline, ...reports.flatMap(({ lines }) => lines)])].join('\n');
  const words = [
    stored,
    signal.headline,
    signal.kind,
    signal.theme?.name,
    signal.delta,
    ...signal.cities,
    ...signal.brands.map(({ name }) => name),
    ...facts.people.flatMap(({ person, role, company }) => [person, role, company]),
    ...facts.openings.flatMap(({ mall, locality }) => [mall && `${mall} mall`, locality]),
    facts.deal?.target,
    ...(facts.deal?.buyers ?? []),
  ];
  const titleStems = new Set(wordsOf(reports.map(({ title }) => title).join('\n')).map(stem));
  const texts = { reports, headline, stored, stems: stemsOf(words.filter(Boolean).join('\n')), titleStems };
  madeTexts.set(signalRow.reports, { signal, facts, texts });
  return texts;
}

/** A signal that was found, as evidence. */
export const evidenceOf = (signalRow: FoundSignal): Evidence => ({
  ...signalRow,
  ...textsOf(signalRow),
  day: istDay(new Date(signalRow.moved_at)),
});

/**
 * Makes evidence whose brands have their present slugs: a signal keeps the slug that its brand had when it was understood,
 * and would not be counted as one of the brand's.
 */
export function evidenceBy(catalogue: PreparedCatalogue): (signalRow: FoundSignal) => Evidence {
  const present = presentSlugs(catalogue);
  return (signalRow) => {
    const evidence = evidenceOf(signalRow);
    const brands = evidence.signal.brands.map((brand) => ({ ...brand, slug: present(brand.slug) }));
    return { ...evidence, about: [...new Set(evidence.about.map(present))], signal: { ...evidence.signal, brands } };
  };
}

/** The report that has a text: the one whose title it is, else the one that the signal cites, else the first. Null where none has it. */
export function reportWith({ signal, reports }: Evidence, text: string): ReportEvidence | null {
  const having = reports.filter((report) => report.text.includes(text));
  return (
    having.find(({ title }) => title === text) ??
    having.find(({ url }) => url === signal.source.url) ??
    having[0] ??
    null
  );
}

/** The report that a signal is cited by where nothing is quoted: the one that has its headline. */
export const reportOf = (evidence: Evidence, text: string = evidence.headline): ReportEvidence =>
  reportWith(evidence, text) ?? (evidence.reports[0] as ReportEvidence);

/** The day of a report: its own date, else that of the move. */
export const dayOf = ({ published_at }: Pick<FoundReport, 'published_at'>, { day }: Pick<Evidence, 'day'>): string =>
  published_at === null ? day : istDay(new Date(published_at));
