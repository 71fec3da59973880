import { once } from 'node:events';

/** Writes lines to standard output as fast as the reader takes them; ends quietly when the reader has gone. */
export async function writeLines(lines: AsyncIterable<string>): Promise<void> {
  const gone = new AbortController();
  process.stdout.once('error', () => gone.abort());
  for await (const line of lines) {
    if (gone.signal.aborted) return;
    if (!process.stdout.write(`${line}\n`))
      await once(process.stdout, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
}
