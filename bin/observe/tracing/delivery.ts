/** Spans on their way to the collector: in batches, behind everything else, and never more than so many. */
import { ExportResultCode } from '@opentelemetry/core';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Milliseconds that spans wait for others to go with them. */
const DELAY = 2_000;

/**
 * A collector that is away or slow costs spans, never time or memory. That is said once when it begins, and once when
 * it is over with how many were lost.
 * @param most spans that wait at once
 */
export function delivery(exporter: SpanExporter, most: number, logger: Pick<Logger, 'info' | 'warn'>): SpanProcessor {
  let waiting = 0;
  let lost = 0;
  let failing = false;
  const ended = (code: ExportResultCode, spans: number, error: Error | undefined): void => {
    if (code === ExportResultCode.SUCCESS) {
      if (lost > 0 || failing) logger.info({ lost }, 'the collector takes traces again');
      failing = false;
      lost = 0;
      return;
    }
    lost += spans;
    if (failing) return;
    failing = true;
    const reason = error ? `${(error as { code?: unknown }).code ?? ''} ${error.message}`.trim() : 'no reason given';
    logger.warn({ reason }, 'traces cannot be delivered and are left out; everything else goes on');
  };
  const told: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        ended(result.code, spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({ exporter: told, maxQueueSize: most, scheduledDelayMillis: DELAY });
  return {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= most) {
        lost++;
        return;
      }
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
