/** The protocol's own suite, both lines of it, against the service and against the same factory with its fixtures. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** What the service itself must pass, without any fixture. */
const OWN = {
  old: ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  new: [
    ...['tools-list', 'resources-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection'],
    ...['http-header-validation', 'input-required-result-unsupported-methods', 'server-sse-multiple-streams'],
  ],
};

let service: ServingMcp;
let fixtures: ServingMcp;
beforeAll(async () => {
  service = await servingMcp();
  fixtures = await servingMcp({ extend: withFixtures });
});
afterAll(async () => {
  await service.close();
  await fixtures.close();
});

describe('the conformance suite', () => {
  it('given the line for 2025, when it asks the service, then all that needs no fixture passes', {
    timeout: 3 * MINUTES,
  }, async () => {
    const outcomes = await conformance(OLD.version, `${service.baseUrl}/mcp`, OLD.words);
    for (const name of OWN.old) expect(outcomes.get(name), name).toMatchObject({ failed: 0 });
  });

  it('given the line for 2026, when it asks the service, then all that needs no fixture passes', {
    timeout: 3 * MINUTES,
  }, async () => {
    const outcomes = await conformance(NEW.version, `${service.baseUrl}/mcp`, NEW.words);
    for (const name of OWN.new) expect(outcomes.get(name), name).toMatchObject({ failed: 0 });
  });

  it('given the fixtures, when the line for 2025 runs, then nothing fails but what is known to', {
    timeout: 3 * MINUTES,
  }, async () => {
    const failed = failedOf(await conformance(OLD.version, `${fixtures.baseUrl}/mcp`, OLD.words));
    expect(failed).toEqual(Object.keys(KNOWN.old));
  });

  it('given the fixtures, when the line for 2026 runs, then nothing fails but what is known to', {
    timeout: 5 * MINUTES,
  }, async () => {
    const failed = failedOf(await conformance(NEW.version, `${fixtures.baseUrl}/mcp`, NEW.words));
    expect(failed).toEqual(Object.keys(KNOWN.new));
  });
});
