/** The files for running Clarity elsewhere agree with the program, its settings, its metrics and its pages. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../bin/command-list.ts';
import { createMetrics } from '../../bin/observe/metrics.ts';
import { openWatch } from '../../bin/observe/observed-process.ts';
import { UNDERSTAND_GROUP } from '../../ingest/understand/understander.ts';
import { Configuration, readConfiguration } from '../../schemas/configuration.ts';
import { ITEMS } from '../../schemas/poll.ts';
import { OPERATOR } from '../web/people/signing-in.ts';
import { withDesk } from '../web/pipeline.desk.ts';
import { documents, root, text, valuesOf, yamlFiles } from './files.ts';
import { type Deployment, KubernetesObject } from './kinds.ts';

const hasCommand = (name: string): boolean => Object.hasOwn(COMMANDS, name);
const SETTINGS = new Set(Object.keys(Configuration.shape));

/** Those that the manifests fix: ports and addresses, and what only a run without servers has. */
const FIXED = new Set(['PORT', 'HOST', 'METRICS_PORT', 'METRICS_HOST', 'DATA_DIR', 'DEMO_PORT']);
const settable = [...SETTINGS].filter((name) => !FIXED.has(name));

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Record<string, unknown>;
  readonly environment?: Record<string, string>;
  readonly ports?: readonly string[];
}
const [compose] = documents('deploy/compose.yaml') as [{ services: Record<string, Service> }];
/** Run once; all others run continuously. */
const ONCE = new Set(['migrate']);
const own = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('clarity:'));

const manifests = yamlFiles.filter((file) => file.includes('/kubernetes/') && !file.endsWith('kustomization.yaml'));
const objects = manifests.flatMap((file) => documents(file).map((value) => ({ file, value })));
const read = objects.map(({ value }) => KubernetesObject.parse(value));
const deployments = read.filter(
  (one): one is Deployment => one.kind === 'Deployment' && one.metadata.name !== 'every-process',
);
const everywhere = read.find(({ metadata }) => metadata.name === 'every-process') as Deployment;

describe('every file', () => {
  it('is YAML without duplicate keys', () => {
    expect(yamlFiles.length).toBeGreaterThan(20);
    for (const file of yamlFiles) expect(() => documents(file), file).not.toThrow();
  });

  it('pins a version of every image', () => {
    const images = yamlFiles.flatMap((file) => valuesOf(documents(file), 'image') as string[]);
    expect(images.length).toBeGreaterThan(8);
    for (const image of images) expect(image).toMatch(/^[a-z0-9./-]+:(?!latest$)[\w.-]*\d[\w.-]*$/);
    for (const [, image] of text('deploy/Dockerfile').matchAll(/^FROM (\S+)/gm))
      expect(image).toMatch(/:.*(\d|nonroot)/);
  });
});

describe('the image', () => {
  const dockerfile = text('deploy/Dockerfile');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = '']) =>
    words.split(' ').slice(0, -1),
  );

  it('copies only existing files, none of them excluded from the build context', () => {
    const allowed = text('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    for (const path of copied) {
      expect(existsSync(resolve(root, path)), path).toBe(true);
      expect(
        allowed.some((line) => path.startsWith(line.slice(1))),
        path,
      ).toBe(true);
    }
  });

  it('contains every folder that the program imports or reads', () => {
    const files = globSync('{bin,api,mcp,web,answer,access,ingest,projector,facts,log,language,schemas}/**/*.ts', {
      cwd: root,
    });
    const reached = new Set(
      files.flatMap((file) =>
        [...text(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(
          ([, to = '']) =>
            resolve(dirname(resolve(root, file)), to)
              .slice(root.length + 1)
              .split('/')[0],
        ),
      ),
    );
    for (const folder of reached) expect(copied, folder).toContain(folder);
  });

  it('runs as an unprivileged user, with the probe that the program serves', () => {
    expect(dockerfile).toMatch(/^USER nonroot$/m);
    expect(dockerfile).toContain(`127.0.0.1:${readConfiguration({}).METRICS_PORT}/readyz`);
    for (const [, name = ''] of dockerfile.matchAll(/\b([A-Z_]+)=0\.0\.0\.0/g)) expect(SETTINGS).toContain(name);
  });
});

describe('compose', () => {
  it('takes TRUST_PROXY from the environment for every process', () => {
    for (const [name, { environment = {} }] of own)
      expect(environment.TRUST_PROXY, name).toMatch(/^\$\{TRUST_PROXY:-\}$/);
  });

  it.each([
    [{}, 1],
    [{ GRAFANA_PASSWORD: '' }, 1],
    [{ GRAFANA_PASSWORD: 'admin' }, 1],
    [{ GRAFANA_PASSWORD: "a 'good' one; $HOME" }, 0],
  ])('given %o, then the check before the observability profile exits with %i', (environment, status) => {
    const [shell = '', ...options] = compose.services['grafana-password']?.entrypoint ?? [];
    const words = options.map((word) => word.replaceAll('$$', '$'));
    expect(spawnSync(shell, words, { env: { PATH: process.env.PATH, ...environment } }).status).toBe(status);
  });

  it('starts no service of the observability profile before that check has passed', () => {
    const services = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes('observability'));
    expect(services.length).toBeGreaterThan(2);
    for (const [name, { depends_on = {} }] of services)
      if (name !== 'grafana-password')
        expect(depends_on['grafana-password'], name).toEqual({ condition: 'service_completed_successfully' });
    expect(compose.services.grafana?.environment?.GF_SECURITY_ADMIN_PASSWORD).toBe(
      compose.services['grafana-password']?.environment?.GRAFANA_PASSWORD,
    );
  });

  it('runs every process with an existing command and existing settings', () => {
    const runs = own.map(([, { command = [] }]) => command[0] ?? '');
    for (const name of ['poll', 'understand', 'match', 'analyse', 'project', 'oracle', 'api', 'mcp', 'migrate'])
      expect(runs).toContain(name);
    for (const name of runs) expect(hasCommand(name), name).toBe(true);
    for (const [name, { environment = {} }] of own)
      for (const setting of Object.keys(environment)) expect(SETTINGS, `${name}: ${setting}`).toContain(setting);
  });

  it.each(own)('gives %s every setting', (_, { environment = {} }) => {
    expect(settable.filter((name) => !Object.hasOwn(environment, name))).toEqual([]);
  });

  it('sets only values that the program accepts, and its ports', () => {
    const filled = Object.entries(own[0]?.[1].environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}/g, '$1'),
    ]);
    expect(() => readConfiguration(Object.fromEntries(filled))).not.toThrow();
    for (const [name, { ports = [] }] of own)
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:\d+:8080$/);
    expect(
      text('deploy/alerts/prometheus.yaml')
        .match(/'(\w+):9464'/g)
        ?.map((target) => target.slice(1, -6))
        .toSorted(),
    ).toEqual(
      // A process of a profile does not run everywhere: a target that is down would be an alert.
      own.flatMap(([name, { profiles }]) => (ONCE.has(name) || profiles ? [] : [name])).toSorted(),
    );
  });
});

describe('the data sources of Grafana', () => {
  it('are services of compose', () => {
    const [{ datasources }] = documents('deploy/dashboards/datasources.yaml') as [
      { datasources: { type: string; url: string }[] },
    ];
    expect(datasources.map(({ type }) => type)).toEqual(['prometheus']);
    for (const { url } of datasources) expect(compose.services).toHaveProperty(new URL(url).hostname);
  });
});

describe('Kubernetes', () => {
  it('lists every file of its folders, and no other', () => {
    for (const file of yamlFiles.filter((one) => one.endsWith('kustomization.yaml'))) {
      const [list] = documents(file) as [{ resources: string[]; patches?: { path?: string }[] }];
      const named = [...list.resources, ...(list.patches ?? []).flatMap(({ path }) => path ?? [])];
      for (const name of named) expect(existsSync(resolve(root, dirname(file), name)), `${file}: ${name}`).toBe(true);
      const lying = manifests
        .filter((one) => dirname(one) === dirname(file))
        .map((one) => one.slice(dirname(file).length + 1));
      expect(named).toEqual(expect.arrayContaining(lying));
    }
  });

  it('runs every process with limits and an existing command', () => {
    expect(deployments.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      own
        .map(([name]) => name)
        .filter((name) => !ONCE.has(name))
        .toSorted(),
    );
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(hasCommand(container?.args?.[0] ?? ''), metadata.name).toBe(true);
      expect(container?.resources, metadata.name).toBeDefined();
      expect(spec.selector?.matchLabels).toEqual(spec.template.metadata?.labels);
    }
    for (const args of read.flatMap((one) => valuesOf(one, 'args') as string[][]))
      expect(hasCommand(args[0] ?? ''), args[0]).toBe(true);
  });

  it('probes existing paths on the right port', async () => {
    const [container] = everywhere.spec.template.spec.containers;
    const port = container?.ports?.find(({ name }) => name === 'metrics')?.containerPort;
    expect(port).toBe(readConfiguration({}).METRICS_PORT);
    const silent = pino({ level: 'silent' });
    const watch = await openWatch('test', { METRICS_PORT: 0, METRICS_HOST: '127.0.0.1' }, silent);
    onTestFinished(() => watch.close());
    watch.running([]);
    for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe]) {
      expect(probe?.httpGet.port).toBe('metrics');
      const { status } = await fetch(`http://127.0.0.1:${watch.port}${probe?.httpGet.path}`);
      expect(status, probe?.httpGet.path).not.toBe(404);
    }
    expect(container?.livenessProbe?.httpGet.path).toBe('/livez');
    // A dependency that is unreachable at the start must not make Kubernetes restart the process repeatedly.
    expect(container?.startupProbe?.httpGet.path).toBe('/livez');
    for (const { file, value } of objects)
      for (const { port: open } of valuesOf(value, 'ports').flat() as { port?: unknown }[])
        if (file.endsWith('network.yaml'))
          expect([53, 80, 443, 465, 587, 2113, 5432, 6432, 8080, 9092, 9200, 9464]).toContain(open);
  });

  it('sets only existing settings, to values that the program accepts', () => {
    const settings = text('deploy/kubernetes/base/settings.env')
      .split('\n')
      .filter((line) => /^\w+=/.test(line));
    const literals = yamlFiles
      .filter((file) => file.endsWith('kustomization.yaml'))
      .flatMap((file) => (valuesOf(documents(file), 'literals') as string[][]).flat());
    const pairs = [...settings, ...literals].map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
    expect(pairs.length).toBeGreaterThan(10);
    for (const [name, value] of pairs) {
      expect(SETTINGS).toContain(name);
      expect(() => readConfiguration({ [name]: value }), name).not.toThrow();
    }
    for (const [, names = ''] of text('deploy/kubernetes/README.md').matchAll(/^\| (`[A-Z_`, ]+) \|/gm))
      for (const [, name = ''] of names.matchAll(/`([A-Z_]+)`/g)) expect(SETTINGS).toContain(name);
  });

  it('has every setting in settings.env, or among the secrets of the page about it', () => {
    const settings = [...text('deploy/kubernetes/base/settings.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    const secrets = [...text('deploy/kubernetes/README.md').matchAll(/^\| (`[A-Z_`, ]+) \|/gm)].flatMap(
      ([, names = '']) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    );
    const named = new Set([...settings, ...secrets]);
    expect(settable.filter((name) => !named.has(name))).toEqual([]);
  });

  it('given an autoscaler, then its Deployment sets no number of replicas, in any overlay', () => {
    const scaled = read.flatMap((one) =>
      (valuesOf(one, 'scaleTargetRef') as { name: string }[]).map(({ name }) => name),
    );
    expect(scaled.length).toBeGreaterThan(2);
    for (const { metadata, spec } of deployments)
      if (scaled.includes(metadata.name)) expect(spec.replicas, metadata.name).toBeUndefined();
    const [production] = documents('deploy/kubernetes/overlays/production/kustomization.yaml') as [
      { replicas: { name: string }[] },
    ];
    for (const { name } of production.replicas) expect(scaled).not.toContain(name);
  });

  it('given the processes, then each gets the secrets that it uses and no other', () => {
    const [{ patches }] = documents('deploy/kubernetes/base/kustomization.yaml') as [
      { patches: { target: { name?: string }; patch?: string }[] },
    ];
    const given = patches.flatMap(({ target, patch }) => {
      const secret = /secretRef: \{ name: (\S+),/.exec(patch ?? '')?.[1];
      return secret ? [[secret, target.name ?? 'all'] as const] : [];
    });
    expect(Object.fromEntries(given)).toEqual({
      'clarity-sign-in': 'api|mcp',
      'clarity-model': 'api|understand',
      'clarity-mail': 'api',
    });
    expect(
      everywhere.spec.template.spec.containers[0]?.envFrom?.flatMap(({ secretRef }) => secretRef?.name ?? []),
    ).toEqual(['clarity-stores']);
    // Every secret that an object names is documented for operators.
    const readme = text('deploy/kubernetes/README.md');
    for (const [secret] of given) expect(readme).toContain(`\`${secret}\``);
  });

  it('given the actions of the workflow, then each is pinned to a commit', () => {
    for (const file of globSync('.github/workflows/*.y*ml', { cwd: root }))
      for (const [, action] of text(file).matchAll(/uses: (\S+)/g)) expect(action).toMatch(/@[0-9a-f]{40}$/);
  });

  it('scales existing processes by existing groups and topics', () => {
    const names = deployments.map(({ metadata }) => metadata.name);
    const triggers = valuesOf(read, 'triggers').flat() as { metadata: Record<string, string> }[];
    expect(triggers.map(({ metadata }) => [metadata.topic, metadata.consumerGroup])).toEqual([
      [ITEMS, UNDERSTAND_GROUP],
    ]);
    for (const reference of read.flatMap((one) => valuesOf(one, 'scaleTargetRef') as { name: string }[]))
      expect(names).toContain(reference.name);
    for (const selector of read
      .filter(({ kind }) => kind === 'PodDisruptionBudget')
      .flatMap((one) => valuesOf(one, 'matchLabels') as Record<string, string>[]))
      expect(names).toContain(selector['app.kubernetes.io/component']);
  });
});

describe('alerts and the dashboard', () => {
  const rules = valuesOf(documents('deploy/alerts/clarity.rules.yaml'), 'rules').flat() as {
    alert: string;
    expr: string;
    annotations: { runbook: string; page: string };
  }[];
  const panels = JSON.parse(text('deploy/dashboards/clarity.json')).panels as {
    title: string;
    targets: { expr: string }[];
  }[];

  it('query only metrics that the program exports', async () => {
    const metrics = createMetrics('test');
    const exported = await metrics.text({
      groups: [{ topic: 'items', group: 'understand', lag: 0, partitions: [{ partition: 0, lag: 0 }], seconds: 0 }],
      roster: [
        { id: 'one', health: 'healthy', last_success_at: '2026-11-21T00:00:00Z', last_item_at: '2026-11-21T00:00:00Z' },
      ],
      mails: [
        { of: 'brief', state: 'sent', mails: 1 },
        { of: 'search', state: 'sent', mails: 1 },
      ],
      models: [{ model: 'signals', version: 'a', live: 'a', lag: 0, stopped_seconds: null, groups: [] }],
      rebuilds: (['running', 'interrupted'] as const).map((state) => ({
        state,
        phase: 'folding' as const,
        model: 'signals',
        process: 'replay',
        share: 0.5,
        events: 1,
        per_second: 1,
        seconds_left: 1,
        started_at: new Date(),
        silent_seconds: 0,
        ended_at: null,
        error: null,
      })),
      parked: [],
      dead_letters: [{ group_name: 'match', topic: 'stories', kind: 'defect', messages: 0 }],
      sources: {
        sources: 0,
        active: 0,
        paused: 0,
        healthy: 0,
        degraded: 0,
        failing: 0,
        silent: 0,
        items_per_hour: 0,
        signals_24h: 0,
      },
      model: { spent_usd: 0, budget_usd: 5 },
      oracle: {
        measured_at: '2026-11-21T00:00:00Z',
        window_hours: 72,
        slo: 0.1,
        checked: 20,
        missed: 0,
        miss_rate: 0,
        misses: [],
      },
    });
    metrics.close();
    const names = new Set([...exported.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const queries = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(queries.length).toBeGreaterThan(25);
    for (const expression of queries)
      for (const [name] of expression.matchAll(/\b(clarity|process|nodejs)_\w+/g))
        expect(names, expression).toContain(name.replace(/_(bucket|count|sum)$/, ''));
  });

  it('name the page of the service, and its part, that shows the figure of each alert', async () => {
    const people = await withDesk(['review', 'source_health', 'quality', 'corrections']);
    onTestFinished(() => people.close());
    const olga = await people.signIn(OPERATOR);
    const addresses = new Set(rules.map(({ annotations }) => annotations.page));
    expect(addresses.size).toBeGreaterThan(5);
    for (const address of addresses) {
      const [path = '', part] = address.split('#');
      const { status, $ } = await olga.open(path);
      expect(status, address).toBe(200);
      if (part) expect($(`main #${part}`).length, address).toBe(1);
    }
    // What the page of the pipeline shows is on the dashboard under the name that the page gives.
    const { $ } = await olga.open('/operate/pipeline');
    const shown = $('main')
      .text()
      .match(/clarity_[a-z_]+/g);
    const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
    expect(shown?.length).toBeGreaterThan(5);
    for (const name of shown ?? []) expect(drawn).toContain(name);
  });

  it('link every alert to a chapter that says what to do', () => {
    const headings = [...text('docs/incidents.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, annotations } of rules) {
      const [page, chapter = ''] = annotations.runbook.split('#');
      expect(page, alert).toBe('docs/incidents.md');
      expect(headings, alert).toContain(chapter);
    }
  });
});
