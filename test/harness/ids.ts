/** Typed ids for tests, made of plain text. */
import { BrandSlug } from '../../schemas/scalar.ts';
import { SourceId } from '../../schemas/source.ts';

/** The id of a source. @throws ZodError for text that cannot be one */
export const sourceId = (text: string): SourceId => SourceId.parse(text);

/** The slug of a brand. @throws ZodError for text that cannot be one */
export const brandSlug = (text: string): BrandSlug => BrandSlug.parse(text);
