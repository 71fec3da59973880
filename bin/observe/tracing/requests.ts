/** A span for each answered request, in the trace of its caller where that one sends `traceparent`. */
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
} from '@opentelemetry/semantic-conventions';
import { requestAnswered } from '../../../schemas/observation.ts';
import { METHODS } from '../metrics.ts';
import { harmless } from './harmless.ts';

/**
 * Route, status and request id: no address, which may hold what somebody asked, and no header, which may hold a key.
 * The names are those of https://opentelemetry.io/docs/specs/semconv/http/http-spans/.
 * @returns what ends the listening
 */
export const traceRequests = (tracer: Tracer): (() => void) =>
  requestAnswered.hear(
    harmless(({ method: sent, route, status, milliseconds, request_id, traceparent }) => {
      const ended = Date.now();
      const caller = traceparent === null ? null : parseTraceParent(traceparent);
      const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
      const method = METHODS.has(sent) ? sent : '_OTHER';
      const failed = status >= 500;
      const attributes: Attributes = {
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
        ...(route !== 'none' && { [ATTR_HTTP_ROUTE]: route }),
        ...(failed && { [ATTR_ERROR_TYPE]: String(status) }),
        'clarity.request.id': request_id,
      };
      const name = `${method === '_OTHER' ? 'HTTP' : method}${route === 'none' ? '' : ` ${route}`}`;
      const startTime = ended - milliseconds;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime, attributes }, parent);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(ended);
    }),
  );
