/** How Kafka is reached. */
import type { Configuration } from '../schemas/configuration.ts';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly ssl?: boolean;
  readonly sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string };
  /** Partitions of a topic that is created; 8 when unset. */
  readonly partitions?: number;
  /** Copies of each partition; 1 when unset, 3 suits a cluster. */
  readonly replicas?: number;
  /** Days that messages are kept; 90 when unset. */
  readonly retentionDays?: number;
  /** Told what a handler or the brokers threw; the consumer goes on by itself. */
  readonly report?: (error: unknown, where: { topic: string; group: string; partition?: number }) => void;
}

/** The brokers cannot be used as configured; the message says what to look at. */
export class KafkaUnavailable extends Error {
  override name = 'KafkaUnavailable';
}

export const DEFAULTS = { partitions: 8, replicas: 1, retentionDays: 90 } as const;

type KafkaConfiguration = Pick<
  Configuration,
  'KAFKA_SSL' | 'KAFKA_SASL' | 'KAFKA_USERNAME' | 'KAFKA_PASSWORD' | 'KAFKA_REPLICAS' | 'KAFKA_PARTITIONS'
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
});
