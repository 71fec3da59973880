/** The types of schema.org that pages use, each with the properties it has there, and no other. */
import { z } from 'zod';

const url = z.url({ protocol: /^https?$/ });
const instant = z.iso.datetime({ offset: true });
const position = z.int().positive();
const name = z.string().min(1).max(300);
const headline = z.string().min(1).max(110);

const typed = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ '@type': z.literal(type), ...shape });

const Country = typed('Country', { name });
const State = typed('AdministrativeArea', { name, containedInPlace: Country });
const City = typed('City', { name, containedInPlace: z.union([State, Country]) });
const About = z.discriminatedUnion('@type', [
  typed('Organization', { name }),
  typed('Thing', { name }),
  Country,
  City,
  typed('ShoppingCenter', { name, containedInPlace: City }),
  typed('Airport', { name, containedInPlace: City }),
  typed('Place', { name, containedInPlace: City }),
]);
const context = z.literal('https://schema.org');

const Listed = typed('NewsArticle', { '@id': url, url, headline, datePublished: instant });

const CollectionPage = typed('CollectionPage', {
  '@context': context,
  '@id': url,
  url,
  name,
  description: name,
  inLanguage: z.literal('en-IN'),
  isPartOf: typed('WebSite', { name, url }),
  about: About.optional(),
  breadcrumb: typed('BreadcrumbList', {
    itemListElement: z.array(typed('ListItem', { position, name, item: url })).min(1),
  }),
  mainEntity: typed('ItemList', {
    numberOfItems: z.int().nonnegative(),
    itemListElement: z.array(typed('ListItem', { position, item: Listed })),
  }),
});

const NewsArticle = typed('NewsArticle', {
  '@context': context,
  '@id': url,
  identifier: z.string(),
  headline,
  description: z.string().max(300),
  url,
  image: z.array(url),
  mainEntityOfPage: url,
  datePublished: instant,
  dateModified: instant,
  inLanguage: z.literal('en-IN'),
  publisher: typed('Organization', { name }),
  author: typed('Organization', { name: z.string().min(1) }),
  isBasedOn: z.array(url),
  about: z.array(typed('Brand', { name: z.string().min(1), url })),
  contentLocation: z.array(typed('City', { name: z.string().min(1) })),
});

export const LinkedData = z.discriminatedUnion('@type', [CollectionPage, NewsArticle]);
