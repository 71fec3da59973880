/** A catalogue of a few names, for rules that need one. */
import { prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { CatalogueFile } from '../../../schemas/catalogue.ts';

const file = CatalogueFile.parse({
  sources: ['made up'],
  brands: [
    { slug: 'trent', name: 'Trent', category: 'value_fashion' },
    { slug: 'westside', name: 'Westside', category: 'fashion', parent: 'trent' },
    { slug: 'nykaa', name: 'Nykaa', category: 'beauty' },
    { slug: 'zepto', name: 'Zepto', category: 'quick_commerce' },
    { slug: 'haldirams', name: "Haldiram's", aliases: ['Haldiram'], category: 'food_and_beverage' },
    { slug: 'hindustan-unilever', name: 'Hindustan Unilever', aliases: ['HUL'], category: 'fmcg' },
    {
      slug: 'max',
      name: 'Max',
      category: 'value_fashion',
      common_word: true,
      context: ['fashion'],
      not_context: ['Max Life'],
    },
    { slug: 'lenskart', name: 'Lenskart', category: 'eyewear' },
    { slug: 'tata-group', name: 'Tata Group', aliases: ['Tata'], category: 'conglomerate' },
    { slug: 'devi-restaurants', name: 'Devi Restaurants', nse: 'DEVI', category: 'quick_service_restaurants' },
    { slug: 'annam-foods', name: 'Annam Foods', category: 'quick_service_restaurants' },
    { slug: 'patty-barn', name: 'Patty Barn', category: 'quick_service_restaurants', operators: ['devi-restaurants'] },
    {
      slug: 'slice-hut',
      name: 'Slice Hut',
      category: 'quick_service_restaurants',
      operators: ['devi-restaurants', 'annam-foods'],
    },
    { slug: 'nordhem', name: 'Nordhem', category: 'home_and_furniture' },
    { slug: 'nordhem-kids', name: 'Nordhem Kids', category: 'baby_and_kids', parent: 'nordhem' },
    { slug: 'nordhem-bazaar', name: 'Nordhem Bazaar', category: 'ecommerce', parent: 'nordhem' },
    { slug: 'nykaa-turant', name: 'Nykaa Turant', category: 'quick_commerce', parent: 'nykaa' },
  ],
  other_years: ['nordhem'],
  indian_years: ['nordhem-bazaar'],
  themes: [
    {
      slug: 'quick-commerce',
      name: 'Quick commerce',
      words: ['quick commerce', 'dark stores'],
      categories: ['quick_commerce'],
    },
    { slug: 'beauty', name: 'Beauty', words: ['skincare'], categories: ['beauty'] },
    { slug: 'leadership', name: 'Leadership', words: ['succession'], moves: ['people'] },
  ],
  cities: [
    { name: 'Pune', state: 'Maharashtra', latitude: 18.5, longitude: 73.9 },
    { name: 'Delhi', aliases: ['New Delhi', 'Karol Bagh'], state: 'Delhi', latitude: 28.6, longitude: 77.2 },
    { name: 'Nashik', state: 'Maharashtra', latitude: 20, longitude: 73.8 },
    { name: 'Mau', common_word: true, state: 'Uttar Pradesh', latitude: 25.9, longitude: 83.6 },
    { name: 'Surat', state: 'Gujarat', latitude: 21.2, longitude: 72.8 },
    { name: 'Bengaluru', aliases: ['Bangalore'], state: 'Karnataka', latitude: 13, longitude: 77.6 },
  ],
  malls: [{ name: 'Lakeside Mall', city: 'Bengaluru' }],
  outlets: [
    { name: 'Shop News', domains: ['shopnews.example'], authority: 0.6, prefixes: ['Shop News:'] },
    { name: 'High Street Journal', domains: ['highstreet.example'], authority: 0.6, country: 'GB' },
  ],
  investors: [{ name: 'Peak XV', aliases: ['Peak XV Partners'] }],
});

export const smallCatalogue = prepareCatalogue({ ...file, version: 'test' });

/** An item with this headline. */
export const itemOf = (
  title: string,
  summary: string | null = null,
  published_at: string | null = '2026-07-20T06:30:00Z',
) => ({
  title,
  summary,
  url: 'https://shopnews.example/news/a-story',
  outlet: 'Shop News',
  published_at,
});
