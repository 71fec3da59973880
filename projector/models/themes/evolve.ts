/** The rows of themes are the facts of signals: the theme follows from the newest text. */
export { evolveFacts as evolveThemes } from '../facts.ts';
