/** A model provider on loopback that speaks the OpenAI protocol for chat completions, and answers what a test says. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;

/** Opens a provider. @returns its base URL, for `LLM_BASE_URL` */
export async function openProvider(answer: Answerer): Promise<string> {
  const opened = createServer(answer);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}/v1`;
}

/** Closes the provider that was opened last, and its connections. */
export function closeProvider(): void {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
}

/** A completion of 1,000 tokens that were read and 100 that were written. */
export const completion = (content: string, reason = 'stop'): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
    usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
  });
