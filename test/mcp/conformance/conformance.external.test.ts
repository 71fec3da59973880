/** The protocol's own suite, both lines of it, against the service and against the same factory with its fixtures. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServingMcp, servingMcp } from '../serving-mcp.ts';
import { withFixtures } from './fixtures.ts';
import { conformance, failedOf } from './suite.ts';

const MINUTES = 60_000;
const OLD = { version: '0.1.16', words: ['--suite', 'active'] };
const NEW = { version: '0.2.0-alpha.12', words: ['--requirements', '2026-07-28'] };

/** What still fails with the fixtures, and why. */
const SESSION =
  'asks the client on an open session; the service keeps none, so that any process can answer any request';
const TASKS = 'tasks are an extension that is not scored; every tool answers at once';
const KNOWN = {
  old: {
    'elicitation-sep1034-defaults': SESSION,
    'elicitation-sep1330-enums': SESSION,
    'tools-call-elicitation': SESSION,
    'tools-call-sampling': SESSION,
  },
  new: {
    'http-custom-header-server-validation': 'no tool repeats an argument in a header',
    'tasks-capability-negotiation': TASKS,
    'tasks-dispatch-and-envelope': TASKS,
    'tasks-lifecycle': TASKS,
    'tasks-mrtr-composition': TASKS,
    'tasks-mrtr-input': TASKS,
    'tasks-request-headers': TASKS,
    'tasks-request-state-removal': TASKS,
    'tasks-required-task-error': TASKS,
    'tasks-wire-fields': TASKS,
  },
} as const;

/**
 * By revision of the protocol, how the suite is asked, what the service passes as it is (all that needs none of the tools,
 * resources and prompts that the suite names), and what fails with those.
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
    bare: COMMON,
    known: ['tools-call-elicitation', 'tools-call-sampling'],
  },
  {
    revision: '2025-11-25',
    words: ['--suite', 'active', '--spec-version', '2025-11-25'],
    bare: [...COMMON, 'dns-rebinding-protection', 'server-sse-multiple-streams'],
    known: Object.keys(KNOWN.old),
  },
  {
    revision: '2026-07-28',
    words: NEW.words,
    bare: [
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
    known: Object.keys(KNOWN.new),
  },
];

let service: ServingMcp;
let fixtures: ServingMcp;
beforeEach(async () => {
  await service.forgetCalls();
  await fixtures.forgetCalls();
});
beforeAll(async () => {
  service = await servingMcp();
  fixtures = await servingMcp({ extend: withFixtures });
});
afterAll(async () => {
  await service.close();
  await fixtures.close();
});

describe('the conformance suite', () => {
  it.each(REVISIONS)(
    'given revision $revision, when it asks the service, then every scenario without a fixture passes',
    {
      timeout: 3 * MINUTES,
    },
    async ({ words, bare }) => {
      const outcomes = await conformance(NEW.version, `${service.baseUrl}/mcp`, words);
      const clean = [...outcomes].flatMap(([name, { failed }]) => (failed === 0 ? [name] : []));
      expect(clean.sort()).toEqual(bare.toSorted());
    },
  );

  it.each(REVISIONS)(
    'given the fixtures, when revision $revision runs, then nothing fails except the known failures',
    {
      timeout: 5 * MINUTES,
    },
    async ({ words, known }) => {
      expect(failedOf(await conformance(NEW.version, `${fixtures.baseUrl}/mcp`, words))).toEqual(known);
    },
  );

  it('given the fixtures, when the suite of 2025 runs, then nothing fails except the known failures', {
    timeout: 3 * MINUTES,
  }, async () => {
    const failed = failedOf(await conformance(OLD.version, `${fixtures.baseUrl}/mcp`, OLD.words));
    expect(failed).toEqual(Object.keys(KNOWN.old));
  });
});
