import { alertEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

export const listAlerts = async (signal: AbortSignal) =>
  (await call(alertEndpoints.listAlerts, {}, signal)).data
