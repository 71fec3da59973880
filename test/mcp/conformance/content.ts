/** The content that the conformance suite expects from the tools, resources and prompts that it names. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] });
const result = (...content: ContentBlock[]): CallToolResult => ({ content });
export const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };

/** Tools that answer the same always. */
export const STEADY: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: text('This is a simple text response for testing.'),
  test_image_content: result(image),
  test_audio_content: result({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: result({
    type: 'resource',
    resource: {
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    },
  }),
  test_multiple_content_types: result({ type: 'text', text: 'Multiple content types test:' }, image, {
    type: 'resource',
    resource: {
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: '{"test":"data","value":123}',
    },
  }),
  test_error_handling: { ...text('This tool intentionally returns an error for testing'), isError: true },
  json_schema_2020_12_tool: text('listed for its schema'),
};

/** A schema with what JSON Schema 2020-12 has beyond older drafts; it must be listed unchanged. */
export const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** By address; a binary one has a `blob`. */
export const RESOURCES = [
  { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG },
  { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched.' },
] as const;

export const templateData = (id: string) => ({
  uri: `test://template/${id}/data`,
  mimeType: 'application/json',
  text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
});
