/** Every alert fires on its condition, as evaluated by Prometheus. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { documents, root, text, valuesOf } from './files.ts';

const RULES = 'deploy/alerts/clarity.rules.yaml';
const TESTS = 'deploy/alerts/clarity.rules.test.yaml';
const promtool = (...words: readonly string[]) => spawnSync('promtool', words, { cwd: root, encoding: 'utf8' });
const missing = promtool('--version').error !== undefined;

it.skipIf(missing)('given promtool, then the rules are valid and each case of their tests passes', () => {
  const checked = promtool('check', 'rules', RULES);
  expect(checked.stdout + checked.stderr).toContain('SUCCESS');
  const tested = promtool('test', 'rules', TESTS);
  expect(tested.stdout + tested.stderr).not.toContain('FAILED');
  expect(tested.status).toBe(0);
});

it('given the rules, then each has a case where it fires and one where it does not', () => {
  const alerts = valuesOf(documents(RULES), 'alert') as string[];
  expect(alerts.length).toBeGreaterThan(15);
  for (const alert of alerts)
    for (const outcome of ['fires', 'does not fire']) expect(text(TESTS)).toContain(`- name: ${alert} ${outcome}`);
});
