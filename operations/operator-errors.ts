/** Errors of what operators do: which are shown to them, and that they stopped it. */

/** Errors whose messages are for operators, by name: their modules are not loaded for that. */
const FOR_OPERATORS: ReadonlySet<string> = new Set([
  'Refusal',
  'NoSuchSignal',
  'CannotReview',
  'ProposalRefused',
  'SourceRefused',
  'PollError',
  'OtherVersionLive',
  'BrandRefused',
  'CatalogueRefused',
  'CatalogueError',
  'RosterError',
]);

export const isForOperators = (error: unknown): error is Error =>
  error instanceof Error && FOR_OPERATORS.has(error.name);

/** The operator stopped an action, such as by Ctrl-C. The message says what state the work is in. */
export class Stopped extends Error {
  override name = 'Stopped';
}
