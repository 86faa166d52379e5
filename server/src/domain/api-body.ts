import { countNodes } from '@tollgate/relay'

/**
 * JSON values (`relay/src/json-scan.ts`) per body under /api. The console's forms have less than a
 * tenth of that.
 */
export const API_NODES_MAX = 50_000

/** Whether parsing and validating the body would block the event loop for too long. */
export const hasTooManyValues = (json: Buffer): boolean =>
  json.length > API_NODES_MAX && countNodes(json, API_NODES_MAX) > API_NODES_MAX
