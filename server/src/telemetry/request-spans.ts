import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
  type Tracer,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { EndRecord } from '../ledger/record.ts'
import {
  attemptAttributes,
  attemptErrorOf,
  errorTypeOf,
  operationOf,
  requestAttributes,
} from './attributes.ts'
import type { OpenTrace } from './request-traces.ts'

const propagator = new W3CTraceContextPropagator()

/**
 * Records an ended request: a server span, and a client span for each attempt. Nothing is recorded
 * while a request runs, so tracing adds no work between its bytes. Returns the id of the trace.
 */
export function recordSpans(tracer: Tracer, record: EndRecord, open: OpenTrace): string {
  const operation = operationOf(open.endpoint)
  const parent = contextOf(open.traceparent)
  const span = tracer.startSpan(
    `${operation} ${record.context.model}`,
    { kind: SpanKind.SERVER, startTime: open.arrivedAt },
    parent,
  )
  const { traceId } = span.spanContext()
  // The samplers decide by the trace alone.
  if (!span.isRecording()) return traceId
  span.setAttributes(requestAttributes(record, operation))
  recordAttempts(tracer, record, { open, operation, span, parent })
  endSpan(span, errorTypeOf(record), open.arrivedAt + record.elapsedMs)
  return traceId
}

function recordAttempts(
  tracer: Tracer,
  { attempts, context: { model } }: EndRecord,
  {
    open,
    operation,
    span,
    parent,
  }: { open: OpenTrace; operation: string; span: Span; parent: Context },
) {
  const within = traceApi.setSpan(parent, span)
  for (const [index, attempt] of attempts.entries()) {
    const started = open.attempts[index]
    if (started === undefined) return
    const attributes = attemptAttributes(attempt, started, { operation, index })
    const child = tracer.startSpan(
      `${operation} ${attempt.model ?? model}`,
      { kind: SpanKind.CLIENT, startTime: started.at, attributes },
      within,
    )
    endSpan(child, attemptErrorOf(attempt), started.at + attempt.milliseconds)
  }
}

function endSpan(span: Span, errorType: string | undefined, at: number) {
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: errorType })
  span.end(at)
}

/** An invalid header begins a trace of its own. */
const contextOf = (traceparent: string | undefined): Context =>
  propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter)
