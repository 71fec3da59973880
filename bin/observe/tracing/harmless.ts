/**
 * A listener that never fails. What throws in one would end the process, and what throws in a traced write would fail that
 * write: an event that nobody can trace, such as a malformed one, goes untraced.
 */
export const harmless =
  <Told extends readonly unknown[]>(listen: (...told: Told) => void) =>
  (...told: Told): void => {
    try {
      listen(...told);
    } catch {
      // The part that handles the event says what is wrong with it.
    }
  };
