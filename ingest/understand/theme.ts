/** The theme of a story: the one whose words stand in its text, headline first. */
import type { Category } from '../../schemas/catalogue.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import type { Reading } from './reading.ts';

/** @param categories of the primary brands, which break ties and stand in where no words are found */
export function themeOf(
  reading: Reading,
  categories: readonly Category[],
  catalogue: PreparedCatalogue,
): { slug: string; name: string } | null {
  let best: { slug: string; name: string } | null = null;
  let most = 0;
  for (const { theme, keys } of catalogue.themeWords) {
    let score = theme.categories.some((category) => categories.includes(category)) ? 1.5 : 0;
    for (const key of keys) {
      if (reading.title.folded.includes(key)) score += 1.5 + key.length / 20;
      else if (reading.summary.folded.includes(key)) score += 0.5 + key.length / 40;
    }
    if (score > most) {
      most = score;
      best = { slug: theme.slug, name: theme.name };
    }
  }
  return best;
}
