/** All tools in the order of the list: those that answer most questions first. */
import type { AnyTool } from './tool.ts';
import { brandProfile } from './tools/brand-profile.ts';
import { compareBrands } from './tools/compare-brands.ts';
import { dailyBrief } from './tools/daily-brief.ts';
import { fetch } from './tools/fetch.ts';
import { getExpansionMap } from './tools/get-expansion-map.ts';
import { getGroup } from './tools/get-group.ts';
import { getLeadershipMoves } from './tools/get-leadership-moves.ts';
import { getSignal } from './tools/get-signal.ts';
import { latestMoves } from './tools/latest-moves.ts';
import { search } from './tools/search.ts';

export const TOOLS: readonly AnyTool[] = [
  latestMoves,
  getSignal,
  brandProfile,
  compareBrands,
  dailyBrief,
  getExpansionMap,
  getGroup,
  getLeadershipMoves,
  search,
  fetch,
];
