/** How Kafka is reached. */
import { DAY } from '../../language/days.ts';
import { type Configuration, daysOfTopic, type RetentionDays } from '../../schemas/configuration.ts';
import { LogUnavailable } from '../event-store.ts';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly ssl?: boolean;
  readonly sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string };
  /** Partitions of a topic that is created; 8 when unset. */
  readonly partitions?: number;
  /** Copies of each partition; 1 when unset, 3 suits a cluster. */
  readonly replicas?: number;
  /** Days that messages are kept, by topic; 90 when unset, 0 for ever. */
  readonly retentionDays?: RetentionDays;
  /** Bytes that each topic keeps at most; any number when unset. */
  readonly retentionBytes?: number;
  /** Receives errors of handlers and of the brokers; the consumer continues. */
  readonly report?: (error: unknown, where: { topic: string; group: string; partition?: number }) => void;
}

/** The brokers cannot be used as configured; the message says what to look at. */
export class KafkaUnavailable extends LogUnavailable {
  override name = 'KafkaUnavailable';
}

export const DEFAULTS = { partitions: 8, replicas: 1, retentionDays: { otherwise: 90, topics: {} } } as const;

const GIGABYTE = 1_000_000_000;
/** Above the largest event of ours, with room for the headers of a batch of one. */
export const MAXIMUM_MESSAGE_BYTES = 2_097_152;

/** How a topic is configured when it is created. One that exists keeps its configuration. */
export function topicConfiguration(
  topic: string,
  {
    retentionDays = DEFAULTS.retentionDays,
    retentionBytes,
    partitions = DEFAULTS.partitions,
    replicas = DEFAULTS.replicas,
  }: Pick<KafkaSettings, 'retentionDays' | 'retentionBytes' | 'partitions' | 'replicas'>,
): { name: string; value: string }[] {
  const days = daysOfTopic(retentionDays, topic);
  return [
    { name: 'retention.ms', value: String(days === 0 ? -1 : Math.round(days * DAY)) },
    // Kafka counts by partition.
    ...(retentionBytes === undefined
      ? []
      : [{ name: 'retention.bytes', value: String(Math.ceil(retentionBytes / partitions)) }]),
    { name: 'max.message.bytes', value: String(MAXIMUM_MESSAGE_BYTES) },
    // With a single replica in sync, its loss would take messages with it that were acknowledged. With three replicas one
    // may be down and publishing goes on; with two, publishing would stop with the first.
    ...(replicas >= 3 ? [{ name: 'min.insync.replicas', value: '2' }] : []),
  ];
}

type KafkaConfiguration = Pick<
  Configuration,
  | 'KAFKA_SSL'
  | 'KAFKA_SASL'
  | 'KAFKA_USERNAME'
  | 'KAFKA_PASSWORD'
  | 'KAFKA_REPLICAS'
  | 'KAFKA_PARTITIONS'
  | 'TOPIC_RETENTION_DAYS'
  | 'TOPIC_RETENTION_GB'
>;

/** The settings that the environment states, for brokers that are named. */
export const kafkaSettings = (
  brokers: readonly string[],
  configuration: KafkaConfiguration,
): Omit<KafkaSettings, 'clientId' | 'report'> => ({
  brokers,
  ssl: configuration.KAFKA_SSL,
  ...(configuration.KAFKA_SASL
    ? {
        sasl: {
          mechanism: configuration.KAFKA_SASL,
          username: configuration.KAFKA_USERNAME ?? '',
          password: configuration.KAFKA_PASSWORD ?? '',
        },
      }
    : {}),
  replicas: configuration.KAFKA_REPLICAS,
  partitions: configuration.KAFKA_PARTITIONS,
  retentionDays: configuration.TOPIC_RETENTION_DAYS,
  ...(configuration.TOPIC_RETENTION_GB === undefined
    ? {}
    : { retentionBytes: configuration.TOPIC_RETENTION_GB * GIGABYTE }),
});
