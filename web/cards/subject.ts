/** What a card is about, and the address of its picture. */
import type { Site } from '../site.ts';
import type { Card } from './draw.ts';

/**
 * Loads what stands on a card, by the name in its address.
 * @returns the card, or the name that the address should have
 * @throws Refusal `not_found`
 */
export type CardSubject = (site: Site, name: string) => Promise<Card | { readonly redirect: string }>;

export const SUBJECTS = ['signal', 'brand', 'theme', 'city', 'mall', 'group', 'page'] as const;

/** Path of a picture: it stays as long as that of the page does. @param of a slug, or the name of a page */
export const cardPath = (subject: (typeof SUBJECTS)[number], of: string): string => `/card/${subject}/${of}.png`;
