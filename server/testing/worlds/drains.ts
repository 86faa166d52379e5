import { Drains } from '../../src/gateway/intake/drains.ts'
import { GATEWAY_LIMITS, type GatewayLimits } from '../../src/gateway/limits.ts'

export const drainsOf = (
  limits: Partial<GatewayLimits> = {},
  options: { DrainEnabled: boolean } = { DrainEnabled: true },
) => new Drains({ settings: { current: () => options }, limits: { ...GATEWAY_LIMITS, ...limits } })
