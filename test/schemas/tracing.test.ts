import { describe, expect, it } from 'vitest';
import { readConfiguration, tracesAddress } from '../../schemas/configuration.ts';

const address = (settings: Record<string, string>): string | null => tracesAddress(readConfiguration(settings));

describe('where traces are sent', () => {
  it('given no collector, then traces are not sent', () => {
    expect(address({})).toBeNull();
    expect(address({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeNull();
    expect(address({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' })).toBeNull();
  });

  it('given a collector, then it is a path below its address, or the address for traces where that is set', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/tenant/';
    expect(address({ OTEL_EXPORTER_OTLP_ENDPOINT })).toBe('http://collector:4318/tenant/v1/traces');
    const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'https://other/spans';
    expect(address({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })).toBe('https://other/spans');
  });
});

describe('settings of tracing', () => {
  it('given invalid settings, then the error names them and what is allowed, but no address or key', () => {
    const read = (settings: Record<string, string>) => () => readConfiguration(settings);
    expect(read({ OTEL_TRACES_SAMPLER: 'sometimes' })).toThrow(/OTEL_TRACES_SAMPLER: "sometimes" .*traceidratio/);
    expect(read({ OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(/OTEL_TRACES_SAMPLER_ARG/);
    expect(read({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(/http\/json/);
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:hunter2@collector' })).toThrow(
      /^(?!.*hunter2)OTEL_EXPORTER_OTLP_ENDPOINT: its value \(not shown\)/,
    );
  });
});
