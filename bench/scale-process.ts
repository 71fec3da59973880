/** A matcher of its own on the topic `stories`: says when it matches, and at its end how much processor time that took. */
import { matchingUntil } from './matcher.ts';

const [url = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await matchingUntil(url, stop.signal, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
