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
  const scores = new Map<string, number>();
  const add = (slug: string, score: number): void => void scores.set(slug, (scores.get(slug) ?? 0) + score);
  for (const theme of catalogue.catalogue.themes)
    if (theme.categories.some((category) => categories.includes(category))) add(theme.slug, 1.5);
  for (const [text, weight] of [
    [reading.title.folded, 1],
    [reading.summary.folded.slice(0, 500), 0.4],
  ] as const)
    for (const key of new Set(catalogue.themeWords.matchInText(text).map((match) => match.keyword)))
      for (const slug of catalogue.themesOf.get(key) ?? []) add(slug, weight * (1.5 + key.length / 20));
  let best: { slug: string; name: string } | null = null;
  let most = 0;
  for (const theme of catalogue.catalogue.themes) {
    const score = scores.get(theme.slug) ?? 0;
    if (score > most) {
      most = score;
      best = { slug: theme.slug, name: theme.name };
    }
  }
  return best;
}
