/** A key for a program under test, issued as its operator would. */
import { startClarity } from './clarity.ts';

/**
 * Runs `clarity keys issue --json` beside the program.
 * @param settings those of the program: where its PostgreSQL is
 * @returns the key; it is Pro unless the words say otherwise
 */
export async function issueKey(
  settings: Record<string, string>,
  words: readonly string[] = ['--plan', 'pro'],
): Promise<string> {
  const command = startClarity(['keys', 'issue', '--account', 'test@clarity.test', '--json', ...words], settings);
  const code = await command.ended;
  if (code !== 0) throw new Error(`keys issue ended with ${code}: ${command.output()}`);
  return (JSON.parse(command.output()) as { key: string }).key;
}
