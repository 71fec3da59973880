/** Facts of stories that were stored before 2.0. */
import type { Understanding } from '../schemas/story.ts';
import { enforcementOf } from './enforcement/read.ts';

/** The text with what it would state if it were understood now: enforcement was not stored. */
export const withEnforcement = (text: Understanding): Understanding => {
  const enforcement = enforcementOf(text);
  return enforcement ? { ...text, enforcement } : text;
};
