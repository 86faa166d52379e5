import { countNodes } from '@tollgate/relay'

/** JSON values (`relay/src/json-scan.ts`) of one body under /api. No form of the console has a tenth of that. */
export const API_NODES_MAX = 50_000

/** Whether parsing a body and checking it against a schema would keep everybody else waiting. */
export const hasTooManyValues = (json: Buffer): boolean =>
  json.length > API_NODES_MAX && countNodes(json, API_NODES_MAX) > API_NODES_MAX
