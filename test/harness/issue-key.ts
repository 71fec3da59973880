/** A key for a program under test, issued as an operator would. */
import { startClarity } from './clarity.ts';

/**
 * Runs `clarity keys issue --json` next to the program.
 * @param settings those of the program, which locate its PostgreSQL
 * @returns the key; by default of the plan Pro
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
