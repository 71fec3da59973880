/** Hosted assistants: the list of them, and whether a call without a key comes from one. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import { parse } from 'yaml';
import { type Assistant, AssistantList } from '../schemas/access.ts';
import { quoted } from '../schemas/input-errors.ts';

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

interface FromAssistant {
  /** Such as `claude`. */
  readonly assistant: string;
  /** Its session, as a hash, because the text is untrusted. Null without a session. */
  readonly session: string | null;
}

const isInRange = (address: string, range: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const [found, [network, bits]] = [ipaddr.process(address), ipaddr.parseCIDR(range)];
  return found.kind() === network.kind() && found.match(network, bits);
};

/** Whether the User-Agent (RFC 9110, 10.1.5) contains the product; without a version, in any version. */
const names = (userAgent: string, wanted: string): boolean =>
  userAgent.split(/[\s();,]+/).some((product) => product === wanted || product.startsWith(`${wanted}/`));

const hashed = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, 16);

/**
 * Recognises an assistant by its User-Agent and its published addresses together: either alone can be imitated.
 * @param address network address of the caller, behind trusted proxies the one that they report
 * @param meta the `_meta` of the tool call
 * @returns null for other callers
 */
export function recogniseAssistant(
  assistants: readonly Assistant[],
  headers: IncomingHttpHeaders,
  address: string,
  meta: Readonly<Record<string, unknown>> = {},
): FromAssistant | null {
  const userAgent = headers['user-agent'] ?? '';
  const found = assistants.find(
    ({ user_agent, addresses }) => names(userAgent, user_agent) && addresses.some((range) => isInRange(address, range)),
  );
  if (!found) return null;
  const named = [
    ...found.session_headers.map((name) => headers[name]),
    ...found.session_meta.map((name) => meta[name]),
  ].find((value): value is string => typeof value === 'string' && value !== '');
  return { assistant: found.id, session: named === undefined ? null : hashed(named) };
}
