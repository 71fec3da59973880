/** All kinds of facts, in the order in which pages list them. */
import { deals } from './deals/deals.ts';
import { enforcement } from './enforcement/enforcement.ts';
import type { FactKind } from './fact.ts';
import { openings } from './openings/openings.ts';
import { people } from './people/people.ts';
import { prices } from './prices/prices.ts';
import { results } from './results/results.ts';

export const FACTS: readonly FactKind[] = [openings, people, results, deals, enforcement, prices];
