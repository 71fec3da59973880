/** Results: one entry for each figure of a company that a public signal tells. */
import type { Model } from '../../model.ts';
import type { Told } from '../told.ts';
import { toldModel } from '../told-model.ts';
import { combineResults, type ResultPart, resultParts } from './evolve.ts';

/** The model of results. */
export const resultsModel = (): Model<Told<ResultPart>> =>
  toldModel({
    name: 'results',
    file: import.meta.url,
    columns: ['company', 'company_slug', 'period', 'metric', 'value', 'growth_pct'],
    partsOf: resultParts,
    combine: combineResults,
    record: (part) => ({ ...part }),
  });
