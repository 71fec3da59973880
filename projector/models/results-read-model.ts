/** Results: one entry per metric of a company that the reports of a public signal state. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import type { ReportedFacts } from '../../schemas/signal.ts';
import type { Result } from '../../schemas/story.ts';
import type { Model } from '../read-model.ts';
import { completed, type Origin, type ReportedParts, reportedPartsModel, slugIn } from './reported-parts.ts';

/** A result, with the slug of its company where the text names the company. */
interface ResultPart extends Result {
  readonly company_slug: BrandSlug | null;
}

/** The results of a text, one for each metric that it states. */
const resultParts = (text: ReportedFacts): ResultPart[] =>
  [text.result, ...(text.other_results ?? [])].flatMap((one) =>
    one ? [{ ...one, company_slug: slugIn(text, one.company) }] : [],
  );

type Stated = ResultPart & Origin;

const isSameMetric = (one: Stated, other: Stated): boolean =>
  one.company === other.company &&
  one.metric === other.metric &&
  (one.period === null || other.period === null || one.period === other.period);

/** The results of one event from a further report: a metric gets the value or growth that it lacks, a new one is added. */
const combineResults = (known: readonly Stated[], more: readonly Stated[]): readonly Stated[] =>
  more.reduce<readonly Stated[]>((all, other) => {
    const at = all.findIndex((one) => isSameMetric(one, other));
    const same = all[at];
    return same
      ? all.with(at, completed(same, other, ['period', 'value', 'growth_pct', 'company_slug']))
      : all.concat(other);
  }, known);

/** Created after the rows. */
const indexes = [
  'ALTER TABLE results ADD PRIMARY KEY (key, number)',
  'CREATE INDEX results_of_company ON results (company_slug, period, published_at, key)',
  'CREATE INDEX results_newest ON results (published_at, key, number) INCLUDE (company_slug, growth_pct)',
  'CREATE INDEX results_of_period ON results (period, published_at, key) INCLUDE (company_slug)',
];

/** The model of results. */
export const resultsModel = (): Model<ReportedParts<ResultPart>> =>
  reportedPartsModel({
    name: 'results',
    file: import.meta.url,
    field: 'result',
    indexes,
    columns: ['company', 'company_slug', 'period', 'metric', 'value', 'growth_pct'],
    partsOf: resultParts,
    combine: combineResults,
    record: (part) => ({ ...part }),
  });
