/** What readiness depends on besides the start. */
export type Checks = {
  database: { status: 'ok' | 'unavailable'; latency_ms?: number }
  journal: { status: 'ok' | 'unwritable' | 'backlog' }
}
