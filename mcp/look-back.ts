/** How far back a tool looks, as its argument. */
import { z } from 'zod';
import { LOOK_BACK } from '../schemas/expansion.ts';

const { least, most, usual } = LOOK_BACK;

export const daysBack = z
  .int()
  .min(least)
  .max(most)
  .default(usual)
  .describe(`days to look back, ${least} to ${most}; ${usual} unless set`);
