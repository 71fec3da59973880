/** The schemas of the shipped Kubernetes objects, as far as they are used: any other name is an error. */
import { z } from 'zod';

const Labels = z.record(z.string(), z.string());
const Name = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
const Metadata = z.strictObject({ name: Name, annotations: Labels.optional(), labels: Labels.optional() });
const Quantity = z.string().regex(/^\d+(m|Mi|Gi)?$/);
const Port = z.union([z.int().min(1).max(65_535), Name]);
const Selector = z.strictObject({
  matchLabels: Labels.optional(),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.enum(['In', 'NotIn']), values: z.array(z.string()) }))
    .optional(),
});
const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: Port }),
  periodSeconds: z.int().positive(),
  timeoutSeconds: z.int().positive(),
  failureThreshold: z.int().positive().optional(),
});
const Resources = z.strictObject({
  requests: z.strictObject({ cpu: Quantity, memory: Quantity }),
  limits: z.strictObject({ memory: Quantity }),
});
const Container = z.strictObject({
  name: z.literal('clarity'),
  image: z.string().optional(),
  args: z.array(z.string()).optional(),
  envFrom: z
    .array(
      z.strictObject({
        configMapRef: z.strictObject({ name: Name }).optional(),
        secretRef: z.strictObject({ name: Name, optional: z.literal(true).optional() }).optional(),
      }),
    )
    .optional(),
  ports: z.array(z.strictObject({ name: Name, containerPort: z.int() })).optional(),
  resources: Resources.optional(),
  startupProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  securityContext: z
    .strictObject({
      allowPrivilegeEscalation: z.literal(false),
      readOnlyRootFilesystem: z.literal(true),
      capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
    })
    .optional(),
  volumeMounts: z.array(z.strictObject({ name: Name, mountPath: z.string() })).optional(),
});
const Pod = z.strictObject({
  metadata: z.strictObject({ labels: Labels.optional(), annotations: Labels.optional() }).optional(),
  spec: z.strictObject({
    restartPolicy: z.enum(['OnFailure', 'Never']).optional(),
    automountServiceAccountToken: z.literal(false).optional(),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z
      .strictObject({
        runAsNonRoot: z.literal(true),
        runAsUser: z.int().positive(),
        runAsGroup: z.int().positive(),
        seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
      })
      .optional(),
    topologySpreadConstraints: z
      .array(
        z.strictObject({
          maxSkew: z.int(),
          topologyKey: z.string(),
          whenUnsatisfiable: z.string(),
          labelSelector: Selector,
          matchLabelKeys: z.array(z.string()).optional(),
        }),
      )
      .optional(),
    containers: z.array(Container).length(1),
    volumes: z.array(z.strictObject({ name: Name, emptyDir: z.strictObject({ sizeLimit: Quantity }) })).optional(),
  }),
});
const kind = <Spec extends z.ZodType>(apiVersion: string, name: string, spec: Spec) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(name), metadata: Metadata, spec });
const Job = z.strictObject({ backoffLimit: z.int(), ttlSecondsAfterFinished: z.int().optional(), template: Pod });
const Peer = z.strictObject({
  namespaceSelector: Selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()) }).optional(),
});
const Ports = z.array(z.strictObject({ port: Port, protocol: z.enum(['TCP', 'UDP']).optional() }));
const Replicas = { minReplicas: z.int().positive(), maxReplicas: z.int().positive() };

export const Deployment = kind(
  'apps/v1',
  'Deployment',
  z.strictObject({
    replicas: z.int().positive().optional(),
    revisionHistoryLimit: z.int().optional(),
    selector: Selector.optional(),
    template: Pod,
  }),
);
export type Deployment = z.infer<typeof Deployment>;

export const KubernetesObject = z.discriminatedUnion('kind', [
  Deployment,
  kind(
    'v1',
    'Service',
    z.strictObject({
      selector: Labels,
      ports: z.array(z.strictObject({ name: Name, port: z.int(), targetPort: Port })),
    }),
  ),
  kind('batch/v1', 'Job', Job),
  kind(
    'batch/v1',
    'CronJob',
    z.strictObject({
      schedule: z.string().regex(/^(\S+ ){4}\S+$/),
      timeZone: z.string(),
      suspend: z.boolean(),
      concurrencyPolicy: z.enum(['Forbid', 'Replace']),
      startingDeadlineSeconds: z.int(),
      jobTemplate: z.strictObject({ spec: Job }),
    }),
  ),
  kind('policy/v1', 'PodDisruptionBudget', z.strictObject({ maxUnavailable: z.int(), selector: Selector })),
  kind(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    z.strictObject({
      podSelector: Selector,
      policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
      ingress: z.array(z.strictObject({ from: z.array(Peer).optional(), ports: Ports.optional() })).optional(),
      egress: z.array(z.strictObject({ to: z.array(Peer).optional(), ports: Ports.optional() })).optional(),
    }),
  ),
  kind('networking.k8s.io/v1', 'Ingress', z.strictObject({ tls: z.array(z.unknown()), rules: z.array(z.unknown()) })),
  kind(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    z.strictObject({
      scaleTargetRef: z.strictObject({ apiVersion: z.literal('apps/v1'), kind: z.literal('Deployment'), name: Name }),
      ...Replicas,
      metrics: z.array(z.unknown()),
    }),
  ),
  kind(
    'monitoring.coreos.com/v1',
    'PodMonitor',
    z.strictObject({
      jobLabel: z.string(),
      selector: Selector,
      podMetricsEndpoints: z.array(
        z.strictObject({ port: Name, path: z.string().startsWith('/'), interval: z.string() }),
      ),
    }),
  ),
  kind(
    'keda.sh/v1alpha1',
    'ScaledObject',
    z.strictObject({
      scaleTargetRef: z.strictObject({ name: Name }),
      minReplicaCount: z.int(),
      maxReplicaCount: z.int(),
      cooldownPeriod: z.int(),
      triggers: z.array(z.strictObject({ type: z.literal('kafka'), metadata: z.record(z.string(), z.string()) })),
    }),
  ),
]);
