/** Reads the list of hosted assistants. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { type Assistant, AssistantList } from '../../schemas/assistant.ts';
import { quoted } from '../../schemas/refusal.ts';

/** The list cannot be used; the message names file, field, value and what is allowed. */
export class AssistantListError extends Error {
  override name = 'AssistantListError';
}

/** The value at a path of a document, for a message. */
const at = (document: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], document);

/**
 * @param file such as `deploy/assistants.yaml`
 * @throws AssistantListError, or the system's error when there is no such file
 */
export async function loadAssistants(file: string): Promise<readonly Assistant[]> {
  const text = await readFile(file, 'utf8');
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new AssistantListError(`${file} is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = AssistantList.safeParse(document);
  if (read.success) return read.data.assistants;
  const lines = read.error.issues.map(
    ({ path, message }) => `${file}, ${path.join('.') || 'document'}: ${quoted(at(document, path))}: ${message}`,
  );
  throw new AssistantListError(lines.join('\n'));
}
