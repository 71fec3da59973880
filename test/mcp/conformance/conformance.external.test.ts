/** The protocol's own suite against the service. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServingMcp, servingMcp } from '../serving-mcp.ts';
import { conformance } from './suite.ts';

const MINUTES = 60_000;
const SUITE = '0.2.0-alpha.12';

/**
 * By revision of the protocol, how the suite is asked, and what the service passes: all that needs none of the tools,
 * resources and prompts that the suite names.
 */
const COMMON = [
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'server-session-lifecycle',
  'tools-list',
];
const REVISIONS = [
  {
    revision: '2025-06-18',
    words: ['--suite', 'active', '--spec-version', '2025-06-18'],
    passing: COMMON,
  },
  {
    revision: '2025-11-25',
    words: ['--suite', 'active', '--spec-version', '2025-11-25'],
    passing: [...COMMON, 'dns-rebinding-protection', 'server-sse-multiple-streams'],
  },
  {
    revision: '2026-07-28',
    words: ['--requirements', '2026-07-28'],
    passing: [
      'caching',
      'dns-rebinding-protection',
      'http-header-validation',
      'input-required-result-ignore-extra-params',
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-validate-input',
      'prompts-list',
      'resources-list',
      'sep-2164-resource-not-found',
      'server-sse-multiple-streams',
      'tasks-status-notifications',
      'tools-list',
    ],
  },
];

let service: ServingMcp;
beforeEach(() => service.forgetCalls());
beforeAll(async () => {
  service = await servingMcp();
});
afterAll(() => service.close());

describe('the conformance suite', () => {
  it.each(REVISIONS)(
    'given revision $revision, when it asks the service, then every scenario passes that needs nothing of the suite',
    {
      timeout: 3 * MINUTES,
    },
    async ({ words, passing }) => {
      const outcomes = await conformance(SUITE, `${service.baseUrl}/mcp`, words);
      const clean = [...outcomes].flatMap(([name, { failed }]) => (failed === 0 ? [name] : []));
      expect(clean.sort()).toEqual(passing.toSorted());
    },
  );
});
