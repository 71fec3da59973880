/** The rows of brands are the facts of signals: which brands they name follows from the newest text. */
export { evolveFacts as evolveBrands } from '../facts.ts';
