/** The parts of a briefing that set brands and figures side by side. */
import { counted, escapeMarkdown, listed } from '../compose/markdown.ts';
import type { Evidence } from '../evidence.ts';
import { moneyTold } from '../figures/money.ts';
import { storesTold } from '../figures/stores.ts';
import { spoken } from '../question/days.ts';
import { NOUNS } from '../question/moves.ts';
import type { Sentence } from '../sentence.ts';

type Cite = (sentence: Sentence) => string | null;

const MOST_BRANDS = 12;
const MOST_FIGURES = 30;

/** One bullet a brand: how many moves of which kinds, each cited. */
export function brandTables(evidence: readonly Evidence[], cite: Cite): (string | null)[] {
  const groups = new Map<string, { name: string; evidence: Evidence[] }>();
  for (const one of evidence)
    for (const slug of one.about) {
      const name = one.signal.brands.find((brand) => brand.slug === slug)?.name ?? slug;
      const group = groups.get(slug) ?? { name, evidence: [] };
      group.evidence.push(one);
      groups.set(slug, group);
    }
  return [...groups.values()]
    .sort((one, other) => other.evidence.length - one.evidence.length || (one.name < other.name ? -1 : 1))
    .slice(0, MOST_BRANDS)
    .map(({ name, evidence: own }) => {
      const moves = [...new Set(own.map(({ signal }) => signal.move))];
      const kinds = moves.map((move) =>
        counted(own.filter(({ signal }) => signal.move === move).length, ...NOUNS[move]),
      );
      return cite({
        markdown: `- **${escapeMarkdown(name)}**: ${listed(kinds)}`,
        ids: own.map(({ signal }) => signal.id),
        quotes: [],
      });
    });
}

interface Row {
  readonly evidence: Evidence;
  readonly brand: string;
  readonly what: string;
  readonly figure: string;
}

const nameOf = ({ signal }: Evidence, slug: string | null): string =>
  signal.brands.find((brand) => brand.slug === slug)?.name ?? signal.brands[0]?.name ?? '';

function rowsOf(evidence: readonly Evidence[]): Row[] {
  const stores = (['opened', 'planned', 'closed'] as const).flatMap((status) =>
    storesTold(evidence, status)
      .filter((told) => told.stores > 1)
      .map((told) => ({
        evidence: told.evidence,
        brand: nameOf(told.evidence, told.brand),
        what: `stores ${status}`,
        figure: String(told.stores),
      })),
  );
  const moneys = (['raised', 'spent'] as const).flatMap((what) =>
    moneyTold(evidence, what).map((told) => ({
      evidence: told.evidence,
      brand: nameOf(told.evidence, told.brand),
      what,
      figure: told.written,
    })),
  );
  const results = evidence.flatMap((one) => {
    const { result } = one.facts;
    if (!result || result.growth_pct === null) return [];
    const what = [result.metric, result.period, 'growth'].filter(Boolean).join(' ');
    return [{ evidence: one, brand: result.company, what, figure: `${result.growth_pct}%` }];
  });
  return [...stores, ...moneys, ...results];
}

/** A table of the figures that signals tell. */
export function figureTable(evidence: readonly Evidence[], cite: Cite): (string | null)[] {
  const rows = rowsOf(evidence).slice(0, MOST_FIGURES);
  if (rows.length === 0) return [];
  const lines = rows.map(({ evidence: one, brand, what, figure }) => {
    const cells = [spoken(one.day), brand, what, figure].map(escapeMarkdown).join(' | ');
    const told = cite({ markdown: `| ${cells} |`, ids: [one.signal.id], quotes: [] });
    return told && `${told} |`;
  });
  return ['| Date | Brand | What | Figure | Signal |', '|---|---|---|---:|---|', ...lines];
}
