/** Nothing leaves that does not stand in the record: quotes byte for byte, ids among those that were found. */
import type { Citation, Quote } from '../schemas/ask.ts';
import type { Evidence } from './evidence.ts';
import type { Draft, Quoted, Sentence } from './sentence.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

/** The place of a quote in the stored text; null where it does not stand there byte for byte. */
function placeOf(stored: string, text: string): Quote | null {
  const start = stored.indexOf(text);
  if (text === '' || start < 0) return null;
  const end = start + text.length;
  return bytes(stored.slice(start, end)).equals(bytes(text)) ? { text, start, end } : null;
}

export class Verifier {
  readonly #evidence: ReadonlyMap<string, Evidence>;
  constructor(evidence: readonly Evidence[]) {
    this.#evidence = new Map(evidence.map((one) => [one.signal.id, one]));
  }

  /** Whether each id was found and each quote stands in its signal. */
  holds({ ids, quotes }: Sentence): boolean {
    const known = ids.every((id) => this.#evidence.has(id));
    return known && quotes.every((quote) => ids.includes(quote.id) && this.quote(quote) !== null);
  }

  quote({ id, text }: Quoted): Quote | null {
    const found = this.#evidence.get(id);
    return found ? placeOf(found.stored, text) : null;
  }

  /** The draft without the sentences that do not hold; null when its direct answer is among them. */
  check(draft: Draft): Draft | null {
    const lead = draft.lead.filter((sentence) => this.holds(sentence));
    if (lead.length < draft.lead.length) return null;
    return { ...draft, lead, items: draft.items.filter((sentence) => this.holds(sentence)) };
  }

  /** Citations of sentences in order of first citation, each with its quotes. */
  citations(sentences: readonly Sentence[]): Citation[] {
    const quotes = new Map<string, Map<string, Quote>>();
    for (const sentence of sentences) {
      for (const id of sentence.ids) if (!quotes.has(id)) quotes.set(id, new Map());
      for (const quoted of sentence.quotes) {
        const place = this.quote(quoted);
        if (place) quotes.get(quoted.id)?.set(quoted.text, place);
      }
    }
    return [...quotes].flatMap(([id, own]) => {
      const found = this.#evidence.get(id);
      if (!found) return [];
      const { slug, url, headline, source, published_at } = found.signal;
      const cited = { id, slug, url, headline, outlet: source.outlet, source_url: source.url, published_at };
      return [{ ...cited, quotes: [...own.values()] }];
    });
  }
}
