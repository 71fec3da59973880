/**
 * A draft of an answer: its sentences, their Markdown, its confidence, and the check of its quotations against stored text.
 */
import type { Citation, Quote } from '../schemas/ask.ts';
import { type Evidence, type ReportEvidence, reportOf, reportWith } from './evidence.ts';

/** A quotation of the stored text of a signal. */
interface Quoted {
  readonly id: string;
  readonly text: string;
  /** Outlet and date of the report, where the quotation is shown beneath its sentence. */
  readonly source?: string;
}

/** One sentence, with the ids of the signals that it cites. */
export interface Sentence {
  /** Markdown without citations. */
  readonly markdown: string;
  readonly ids: readonly string[];
  readonly quotes: readonly Quoted[];
}

/** An answer before it is rendered. */
export interface Draft {
  /** The direct answer. */
  readonly lead: readonly Sentence[];
  /** Sentences of a model, before the direct answer where that is a report, after it where it was computed. */
  readonly composed?: { readonly place: 'before' | 'after'; readonly sentences: readonly Sentence[] };
  /** The evidence, one bullet each. */
  readonly items: readonly Sentence[];
  /** Notes on how the question was read; they make no claim about the record. */
  readonly notes: readonly string[];
  /** How the answer was found; its confidence follows from it. */
  readonly basis: Basis;
  /** Share of a model's sentences that were dropped, 0 to 1; unset where no model wrote. */
  readonly dropped?: number;
}

/** Of two parts of an answer, the later of their bases is that of the answer; `docs/ask.md` has how often each is right. */
export const BASES = [
  'counted',
  'fact',
  'composed',
  'named',
  'likely',
  'loosely',
  'nearest',
  'closest',
  'none',
] as const;
export type Basis = (typeof BASES)[number];

/** A draft that answers nothing. */
export const nothing = (lead: string, notes: readonly string[] = [], items: readonly Sentence[] = []): Draft => ({
  lead: [{ markdown: lead, ids: [], quotes: [] }],
  items,
  notes,
  basis: 'none',
});

/**
 * Shares of right answers by basis, of those that were judged at first sight, as `eval/ask/fit-confidence.ts` fits them: where few
 * are known, it is lower. Answers to `npm run eval -- ask` are left out: they have been read by the ones who improved the answers.
 */
export const RELIABILITY: Readonly<Record<Basis, number>> = {
  counted: 0.6,
  fact: 0.87,
  composed: 0.92,
  named: 0.82,
  likely: 0.78,
  loosely: 0.71,
  nearest: 0.55,
  closest: 0.55,
  none: 0,
};
/** How much of the confidence is left when nearly all sentences of a model were dropped. */
const LEAST_LEFT = 0.5;

/**
 * The confidence of an answer, 0 to 1: how often answers of its basis are right, less where sentences of a model were
 * dropped, since one that invents some sentences is trusted less for the others.
 */
export const confidenceOf = ({ basis, dropped = 0 }: Pick<Draft, 'basis' | 'dropped'>): number =>
  Number((RELIABILITY[basis] * (1 - dropped * (1 - LEAST_LEFT))).toFixed(4));

/** The answers to the parts of a question as one: each of them once, and as sure as the least sure. */
export function joined(first: Draft, others: readonly Draft[]): Draft {
  const isNew =
    (known: readonly Sentence[]) =>
    (one: Sentence): boolean =>
      !known.some(({ markdown }) => markdown === one.markdown);
  return others.reduce<Draft>((all, { lead, items, notes, basis }) => {
    // A part that shows nothing more says nothing more of how it was found.
    if (![...lead, ...items].some(isNew([...all.lead, ...all.items]))) return all;
    const quoted = new Set(all.lead.flatMap(({ quotes }) => quotes.map(({ text }) => text)));
    const isUnsaid = ({ quotes }: Sentence): boolean =>
      quotes.length === 0 || quotes.some(({ text }) => !quoted.has(text));
    return {
      lead: [...all.lead, ...lead.filter(isNew(all.lead)).filter(isUnsaid)],
      items: [...all.items, ...items.filter(isNew([...all.lead, ...all.items, ...lead]))],
      notes: [...new Set([...all.notes, ...notes])],
      basis: BASES.indexOf(basis) > BASES.indexOf(all.basis) ? basis : all.basis,
    };
  }, first);
}

/** All sentences of a draft in the order in which they are read. */
export const sentencesOf = ({ lead, composed, items }: Draft): readonly Sentence[] => {
  const written = composed?.sentences ?? [];
  return composed?.place === 'before' ? [...written, ...lead, ...items] : [...lead, ...written, ...items];
};

/** Escapes all characters with a meaning in Markdown, so that the text is shown unchanged. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>|#~]/g, '\\$&').replace(/\n/g, ' ');

/** A quotation of stored text. */
export const quotation = (text: string): string => `“${escapeMarkdown(text)}”`;

/** A piece of the answer, and the ids that it cites. */
export interface Piece {
  readonly text: string;
  readonly ids: readonly string[];
}

/** A sentence with its citations after it. */
const cited = ({ markdown, ids }: Sentence): string => [markdown, ...ids.map((id) => `[${id}]`)].join(' ');

/** A sentence of a model, and beneath it the words that it rests on. */
const withWords = (sentence: Sentence): Piece[] => [
  { text: cited(sentence), ids: sentence.ids },
  ...sentence.quotes.map(({ text, source }) => ({
    text: `\n> ${quotation(text)} ${escapeMarkdown(source ?? '')}`,
    ids: [],
  })),
];

/** The pieces of a draft; joined they are its content. */
export function pieces({ lead, composed, items, notes }: Draft): Piece[] {
  const written = composed?.sentences.map(withWords) ?? [];
  const blocks: Piece[][] = [
    ...(composed?.place === 'before' ? written : []),
    lead.map((sentence, index) => ({ text: `${index > 0 ? ' ' : ''}${cited(sentence)}`, ids: sentence.ids })),
    ...(composed?.place === 'after' ? written : []),
    items.map((sentence, index) => ({ text: `${index > 0 ? '\n' : ''}- ${cited(sentence)}`, ids: sentence.ids })),
    notes.length > 0 ? [{ text: notes.join(' '), ids: [] }] : [],
  ];
  const [first = [], ...others] = blocks.filter((block) => block.length > 0);
  return [...first, ...others.flatMap((block) => [{ text: '\n\n', ids: [] }, ...block])];
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

/** The place of a quote in the stored text; null unless the text contains it byte for byte. */
function placeOf(stored: string, text: string): Quote | null {
  const start = stored.indexOf(text);
  if (text === '' || start < 0) return null;
  const end = start + text.length;
  return bytes(stored.slice(start, end)).equals(bytes(text)) ? { text, start, end } : null;
}

/** Checks sentences against the evidence: every id was found, and every quote is in a report of its signal byte for byte. */
export class Verifier {
  readonly #evidence: ReadonlyMap<string, Evidence>;
  constructor(evidence: readonly Evidence[]) {
    this.#evidence = new Map(evidence.map((one) => [one.signal.id, one]));
  }

  /** Whether each id was found and each quote is in a report of its signal. */
  holds({ ids, quotes }: Sentence): boolean {
    const known = ids.every((id) => this.#evidence.has(id));
    return known && quotes.every((quote) => ids.includes(quote.id) && this.quote(quote) !== null);
  }

  quote({ id, text }: Quoted): Quote | null {
    const found = this.#evidence.get(id);
    const report = found && reportWith(found, text);
    return report ? placeOf(report.text, text) : null;
  }

  /** The draft without the sentences that do not hold; null when its direct answer is among them. */
  check(draft: Draft): Draft | null {
    const lead = draft.lead.filter((sentence) => this.holds(sentence));
    if (lead.length < draft.lead.length) return null;
    const { composed } = draft;
    const written = composed && {
      ...composed,
      sentences: composed.sentences.filter((sentence) => this.holds(sentence)),
    };
    const items = draft.items.filter((sentence) => this.holds(sentence));
    return { ...draft, lead, ...(written && { composed: written }), items };
  }

  /**
   * The reports that sentences quote, in order of first citation, each with its quotes; of a signal that is cited without a
   * quotation, the report that has its headline.
   */
  citations(sentences: readonly Sentence[]): Citation[] {
    const cited = new Map<ReportEvidence, { readonly found: Evidence; readonly quotes: Map<string, Quote> }>();
    const cite = (found: Evidence, report: ReportEvidence, quote: Quote | null): void => {
      const known = cited.get(report) ?? { found, quotes: new Map<string, Quote>() };
      if (quote) known.quotes.set(quote.text, quote);
      cited.set(report, known);
    };
    for (const { ids, quotes } of sentences)
      for (const found of ids.flatMap((id) => this.#evidence.get(id) ?? [])) {
        const own = quotes.filter(({ id }) => id === found.signal.id);
        for (const { text } of own) {
          const report = reportWith(found, text);
          if (report) cite(found, report, placeOf(report.text, text));
        }
        if (own.length === 0 && !found.reports.some((report) => cited.has(report))) cite(found, reportOf(found), null);
      }
    return [...cited].map(([{ outlet, url: source_url, title, published_at }, { found, quotes }]) => {
      const { id, slug, url } = found.signal;
      const dated = published_at ?? found.signal.published_at;
      return { id, slug, url, headline: title, outlet, source_url, published_at: dated, quotes: [...quotes.values()] };
    });
  }
}
