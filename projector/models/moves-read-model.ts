/** Moves as they are compared: what public signals state of the brands they are about, and what analyses cite. */
import type { Deal } from '../../facts/deals/fields.ts';
import type { Opening } from '../../facts/openings/fields.ts';
import type { Appointment } from '../../facts/people/fields.ts';
import { lensesOf, seatsOf } from '../../facts/people/roles.ts';
import type { Result } from '../../facts/results/fields.ts';
import type { BrandSlug, Move, SignalId } from '../../schemas/scalar.ts';
import type { SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import type { Model } from '../read-model.ts';
import { defineSignalModel } from './signal-model.ts';

/** An appointment with the seats that its role names. */
export interface SeatMove extends Appointment {
  readonly seats: readonly string[];
  readonly is_c_suite: boolean;
}

/** What the text of a signal states, as far as moves are compared by it. */
export interface MoveFacts {
  readonly move: Move;
  readonly kind: string | null;
  readonly headline: string;
  /** Brands of the catalogue that it is about. */
  readonly brands: readonly { readonly slug: BrandSlug; readonly name: string }[];
  readonly people: readonly SeatMove[];
  readonly openings: readonly Opening[];
  readonly deal: Deal | null;
  readonly results: readonly Result[];
  /** The earlier signal that it takes a step further. */
  readonly follows: SignalId | null;
}

interface MoveRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly facts: MoveFacts;
  /** Signals from which its newest analysis was computed. */
  readonly cited: readonly SignalId[];
}

function factsOf(text: Understanding, follows: SignalId | null): MoveFacts {
  const { move, kind, headline, brands, people, openings, deal, result, other_results = [] } = text;
  const about = brands.filter(({ role, provisional }) => role === 'primary' && !provisional);
  return {
    move,
    kind,
    headline,
    openings,
    deal,
    follows,
    brands: [...new Map(about.map(({ slug, name }) => [slug, { slug, name }])).values()],
    people: people.map((one) => ({
      ...one,
      seats: seatsOf(one.role),
      is_c_suite: lensesOf(one.role).includes('c_suite'),
    })),
    results: result ? [result, ...other_results] : [],
  };
}

const evolveMove = foldSignalsBy<MoveRow>({
  SignalDetected: ({ data: { status, published_at, understanding, follows } }) => ({
    status,
    published_at,
    cited: [],
    facts: factsOf(understanding, follows),
  }),
  SignalRevised: (row, { data }) => ({ ...row, facts: factsOf(data.after, row.facts.follows) }),
  SignalCorrected: (row, { data }) => ({ ...row, facts: factsOf(data.after, row.facts.follows) }),
  SignalLinked: (row, { data }) => ({ ...row, facts: { ...row.facts, follows: data.follows } }),
  SignalAnalysed: (row, { data }) => ({
    ...row,
    cited: [...new Set((data.sentences ?? []).flatMap(({ signals }) => signals))],
  }),
});

/** The model of moves. */
export const movesModel = (): Model<MoveRow> =>
  defineSignalModel(import.meta.url, {
    name: 'moves',
    indexes: [
      'ALTER TABLE moves ADD PRIMARY KEY (key, brand)',
      'CREATE INDEX moves_of_brand ON moves (brand, published_at, key)',
      'CREATE INDEX moves_of_kind ON moves (brand, move, published_at, key)',
      'CREATE INDEX moves_cited_by ON moves_cited (cited, key)',
      'CREATE INDEX moves_cited_key ON moves_cited (key)',
    ],
    evolve: evolveMove,
    tables: [
      { name: 'moves_recorded', columns: [], records: () => [{}] },
      {
        name: 'moves',
        columns: ['brand', 'move', 'published_at', 'facts'],
        records: ({ status, published_at, facts }) =>
          status === 'public'
            ? facts.brands.map(({ slug }) => ({
                brand: slug,
                move: facts.move,
                published_at,
                facts: JSON.stringify(facts),
              }))
            : [],
      },
      { name: 'moves_cited', columns: ['cited'], records: ({ cited }) => cited.map((one) => ({ cited: one })) },
    ],
  });
