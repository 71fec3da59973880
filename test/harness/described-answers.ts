/** Validates every response of a server against the description of the API. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { describeApi } from '../../api/description/document.ts';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A response must not have a field that the description does not contain. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return inner.type === 'object' && inner.properties ? { ...inner, additionalProperties: false } : inner;
}

const document = describeApi();
const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
// The package is CommonJS: its function is the nested default export.
(formats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
const components = document.components as {
  schemas: Json;
  responses: Record<string, Json>;
  headers: Record<string, Json>;
};
ajv.addVocabulary(['components']);
ajv.addSchema({ $id: 'api', components: { schemas: closed(components.schemas) } });

const compiled = new Map<string, ValidateFunction>();
function validator(reference: string): ValidateFunction {
  const known = compiled.get(reference) ?? ajv.compile({ $ref: `api${reference}` });
  compiled.set(reference, known);
  return known;
}

const templates = Object.keys(document.paths as Json).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
}));

/** The path of the description that an address belongs to; the one with the fewest parameters where several fit. */
const templateOf = (address: string): string | undefined =>
  templates
    .filter(({ pattern }) => pattern.test(address))
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0]?.path;

function responseOf(path: string, method: string, status: number): Json | undefined {
  const operation = (document.paths as Record<string, Record<string, Json>>)[path]?.[method];
  const found = (operation?.responses as Record<string, Json> | undefined)?.[String(status)];
  const name = typeof found?.$ref === 'string' ? found.$ref.split('/').at(-1) : undefined;
  return name ? components.responses[name] : found;
}

const isLimit = (name: string): boolean => /^x-rate-?limit|^ratelimit/i.test(name);

/** The errors in the headers of a response. @param counts false for servers without access control: they count no calls */
function wrongHeaders(described: Json, answer: LightMyRequestResponse, counts: boolean): string[] {
  return Object.entries(described).flatMap(([name, one]) => {
    const reference = (one as Json).$ref;
    const header =
      typeof reference === 'string' ? components.headers[reference.split('/').at(-1) ?? ''] : (one as Json);
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined)
      return header?.required === true && (counts || !isLimit(name)) ? [`the header ${name} is missing`] : [];
    const isWhole = (header?.schema as Json | undefined)?.type !== 'integer' || /^\d+$/.test(String(value));
    return isWhole ? [] : [`the header ${name} is no whole number`];
  });
}

/** A CSV response requested by `Accept` is described at its own path. */
const describedAt = (path: string | undefined, type: string): string | undefined =>
  type === 'text/csv' && path !== undefined && `${path}.csv` in (document.paths as Json) ? `${path}.csv` : path;

/**
 * Fields of a real response that an example lacks, by path. Null and an empty list in the example have no fields, so
 * they agree with everything.
 */
export function missingInExample(real: unknown, example: unknown, at = ''): string[] {
  if (Array.isArray(real))
    return Array.isArray(example) && example.length > 0
      ? [...new Set(real.flatMap((one) => missingInExample(one, example[0], `${at}[]`)))]
      : [];
  if (!isObject(real) || !isObject(example)) return [];
  return Object.entries(real).flatMap(([name, value]) =>
    name in example ? missingInExample(value, example[name], `${at}.${name}`) : [`${at}.${name}`],
  );
}

/** The columns of a table. */
const columnsOf = (text: string): string => text.split('\r\n', 1)[0] ?? '';

/** The differences between a response and the description; none when it conforms or is a page. */
export function undescribed(
  asked: { method: string; address: string; isInFull?: boolean },
  answer: LightMyRequestResponse,
  counts: boolean,
): string[] {
  const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  const path = describedAt(templateOf(asked.address), type);
  const method = asked.method === 'HEAD' ? 'get' : asked.method.toLowerCase();
  const isKnown = path !== undefined && (document.paths as Record<string, Json>)[path]?.[method] !== undefined;
  if (!isKnown && !asked.address.startsWith('/api/')) return [];
  const response = isKnown ? responseOf(path, method, answer.statusCode) : undefined;
  if (isKnown && !response) return [`${answer.statusCode} is not described`];
  const wrong = wrongHeaders((response?.headers ?? {}) as Json, answer, counts);
  if (wrong.length > 0) return wrong;
  if (answer.body === '' || !type) return [];
  const content = response?.content as Record<string, { schema: Json; example?: unknown }> | undefined;
  if (isKnown && !content?.[type]) return [`the type ${type} is not described`];
  const example = content?.[type]?.example;
  if (type === 'text/csv')
    return columnsOf(answer.body) === columnsOf(String(example)) ? [] : ['the example has other columns'];
  // The document itself is a text, compared with the committed one.
  if (!/[/+]json$/.test(type) || type === 'application/vnd.oai.openapi+json') return [];
  const schema = String(content?.[type]?.schema.$ref ?? '#/components/schemas/Error');
  const validate = validator(schema);
  if (!validate(answer.json()))
    return (validate.errors ?? []).map(({ instancePath, message }) => `${schema} ${instancePath}: ${message}`);
  // An expanded list has the fields of the single document, whose own example shows them.
  if (asked.isInFull) return [];
  return missingInExample(answer.json(), example).map((field) => `the example lacks ${field}`);
}

/** The same server, whose `inject` rejects a response that does not match the description. @param counts whether it counts calls */
export const withDescribedAnswers = (server: FastifyInstance, counts: boolean): FastifyInstance =>
  new Proxy(server, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'inject') return typeof value === 'function' ? value.bind(target) : value;
      return async (options: InjectOptions | string) => {
        const answer = await target.inject(options);
        const { method = 'GET', url = '' } = typeof options === 'string' ? { url: options } : options;
        const address = String(url).split('?', 1)[0] ?? '';
        const wrong = undescribed(
          { method: String(method), address, isInFull: String(url).includes('expand=detail') },
          answer,
          counts,
        );
        if (wrong.length > 0)
          throw new Error(`${method} ${String(url)} answered other than described: ${wrong.join('; ')}`);
        return answer;
      };
    },
  });
