/** Typed ids for tests, made of plain text. */
import { SourceId } from '../../schemas/source.ts';

/** The id of a source. @throws ZodError for text that cannot be one */
export const sourceId = (text: string): SourceId => SourceId.parse(text);
