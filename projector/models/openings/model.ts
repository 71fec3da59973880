/** Openings: one entry for each opening, planned opening and closure that a public signal tells. */
import type { Model } from '../../model.ts';
import type { Told } from '../told.ts';
import { toldModel } from '../told-model.ts';
import { combineOpenings, type OpeningPart, openingParts } from './evolve.ts';

/** The model of openings. */
export const openingsModel = (): Model<Told<OpeningPart>> =>
  toldModel({
    name: 'openings',
    file: import.meta.url,
    columns: ['brand', 'brand_slug', 'city', 'mall', 'locality', 'stores', 'status', 'date'],
    partsOf: openingParts,
    combine: combineOpenings,
    record: (part) => ({ ...part }),
  });
