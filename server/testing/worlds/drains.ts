import { type Clock, systemClock } from '../../src/clock.ts'
import { Drains } from '../../src/gateway/intake/drains.ts'
import { GATEWAY_LIMITS, type GatewayLimits } from '../../src/gateway/limits.ts'

export const drainsOf = (
  limits: Partial<GatewayLimits> = {},
  options: { DrainEnabled: boolean } = { DrainEnabled: true },
  clock: Clock = systemClock,
) =>
  new Drains({
    settings: { current: () => options },
    limits: { ...GATEWAY_LIMITS, ...limits },
    clock,
  })
