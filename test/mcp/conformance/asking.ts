/** Tools that ask the client back before they answer. The service has none; the suite wants to see its factory do it. */
import { createHmac } from 'node:crypto';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { text } from './content.ts';

type Handler = (context: ServerContext['mcpReq']) => CallToolResult | InputRequiredResult;

export const asks = (message: string, field: string, type: 'string' | 'boolean' = 'string'): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'string' ? { type: 'string' } : { type: 'boolean' } },
      required: [field],
    },
  });

const sampling = (said: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: said } }], maxTokens },
});
const roots: InputRequest = { method: 'roots/list', params: {} };

const sealed = (state: string): string =>
  `${state}.${createHmac('sha256', 'a key of tests').update(state).digest('hex')}`;

/** @throws ProtocolError for a state that was not sealed here */
function opened(state: unknown): string {
  const [known = ''] = String(state).split('.');
  if (sealed(known) !== state)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'requestState: it was changed on its way');
  return known;
}

const needs = (inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult =>
  inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState: sealed(requestState) }) });

const has = ({ inputResponses }: ServerContext['mcpReq'], ...keys: string[]): boolean =>
  keys.every((key) => inputResponses?.[key] !== undefined);

const NAME = { user_name: asks('What is your name?', 'name') };

export const ASKING: Readonly<Record<string, Handler>> = {
  test_input_required_result_elicitation(context) {
    const name = acceptedContent<{ name: string }>(context.inputResponses, 'user_name')?.name;
    return name === undefined ? needs(NAME) : text(`Hello, ${name}!`);
  },
  test_input_required_result_sampling: (context) =>
    has(context, 'capital_question')
      ? text(`Sampled: ${JSON.stringify(context.inputResponses?.capital_question)}`)
      : needs({ capital_question: sampling('What is the capital of France?', 100) }),
  test_input_required_result_list_roots: (context) =>
    has(context, 'client_roots')
      ? text(`Roots: ${JSON.stringify(context.inputResponses?.client_roots)}`)
      : needs({ client_roots: roots }),
  test_input_required_result_request_state: (context) =>
    has(context, 'confirm') && opened(context.requestState()) === 'one'
      ? text('state-ok')
      : needs({ confirm: asks('Please confirm', 'ok', 'boolean') }, 'one'),
  test_input_required_result_tampered_state: (context) =>
    has(context, 'confirm') && opened(context.requestState()) === 'one'
      ? text('state-ok')
      : needs({ confirm: asks('Please confirm', 'ok', 'boolean') }, 'one'),
  test_input_required_result_multiple_inputs: (context) =>
    has(context, 'user_name', 'greeting', 'client_roots')
      ? text('All three came')
      : needs({ ...NAME, greeting: sampling('Generate a greeting', 50), client_roots: roots }, 'three'),
  test_input_required_result_multi_round(context) {
    if (has(context, 'step2')) return text('Both steps are done');
    return has(context, 'step1')
      ? needs({ step2: asks('Step 2: What is your favorite color?', 'color') }, 'two')
      : needs({ step1: asks('Step 1: What is your name?', 'name') }, 'one');
  },
  test_input_required_result_capabilities: (context) => {
    const envelope: Readonly<Record<string, unknown>> = { ...context.envelope };
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
    return declared && typeof declared === 'object' && 'elicitation' in declared
      ? needs(NAME)
      : needs({ capital_question: sampling('What is the capital of France?', 100) });
  },
  test_missing_capability: () => needs({ capital_question: sampling('What is the capital of France?', 100) }),
  test_streaming_elicitation: () => needs(NAME),
};
