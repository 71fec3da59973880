/** The order of an upgrade under Kubernetes: the read models first, then those who read them. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const Patches = z.object({
  patches: z.array(z.object({ target: z.object({ name: z.string().optional() }), patch: z.string().optional() })),
});
const Operations = z.array(z.object({ path: z.string(), value: z.unknown() }));

it('given the pods that answer readers, then none of the former release stops before one of the new release is ready', async () => {
  const { patches } = Patches.parse(parse(await readFile('deploy/kubernetes/base/kustomization.yaml', 'utf8')));
  const values = new Map(
    patches
      .filter(({ target }) => target.name === 'api|mcp')
      .flatMap(({ patch }) => Operations.parse(parse(patch ?? '[]')))
      .map(({ path, value }) => [path, value]),
  );
  expect(values.get('/spec/strategy')).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
  // The models of a large record take longer to build than the ten minutes after which a rollout counts as failed.
  expect(values.get('/spec/progressDeadlineSeconds')).toBe(86_400);
});
