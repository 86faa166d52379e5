import { alertEndpoints } from './alert.ts'
import { availabilityEndpoints } from './availability.ts'
import { billingEndpoints } from './billing.ts'
import { billEndpoints } from './bills.ts'
import { catalogEndpoints } from './catalog.ts'
import { channelEndpoints } from './channel.ts'
import type { Access, Endpoint, EndpointParts } from './endpoint.ts'
import { logEndpoints } from './log.ts'
import { modelEndpoints } from './model-endpoints.ts'
import { oauthEndpoints } from './oauth.ts'
import { optionEndpoints } from './option-endpoints.ts'
import { ownBillingEndpoints } from './own-billing.ts'
import { modelPriceEndpoints } from './own-price.ts'
import { priceEndpoints } from './price-feed.ts'
import { redemptionEndpoints } from './redemption.ts'
import { secondFactorEndpoints, secondFactorSignInEndpoints } from './second-factor.ts'
import { sessionEndpoints } from './session.ts'
import { statEndpoints } from './stat.ts'
import { statusEndpoints } from './status.ts'
import { tokenEndpoints } from './token.ts'
import { topUpEndpoints } from './topup.ts'
import { userTokenEndpoints } from './user-token.ts'
import { selfEndpoints, userEndpoints } from './user.ts'

/**
 * Every endpoint under /api, by resource. The API document and the tests cover this table. Routes
 * and pages import only the tables they need, which keeps page bundles small.
 */
const ENDPOINTS = {
  status: statusEndpoints,
  session: sessionEndpoints,
  oauth: oauthEndpoints,
  self: selfEndpoints,
  secondFactorSignIn: secondFactorSignInEndpoints,
  secondFactor: secondFactorEndpoints,
  tokens: tokenEndpoints,
  topup: topUpEndpoints,
  ownBilling: ownBillingEndpoints,
  logs: logEndpoints,
  stat: statEndpoints,
  users: userEndpoints,
  redemptions: redemptionEndpoints,
  userTokens: userTokenEndpoints,
  channels: channelEndpoints,
  models: modelEndpoints,
  catalog: catalogEndpoints,
  availability: availabilityEndpoints,
  options: optionEndpoints,
  prices: priceEndpoints,
  bills: billEndpoints,
  alerts: alertEndpoints,
  modelPrices: modelPriceEndpoints,
} as const

/** Adds the data plane's billing endpoints, which are not under /api. */
const DOCUMENTED = { ...ENDPOINTS, billing: billingEndpoints } as const

export type Resource = keyof typeof DOCUMENTED

/** One value per endpoint; a missing entry does not compile. */
export type PerEndpoint<Value> = {
  readonly [R in Resource]: { readonly [Name in keyof (typeof DOCUMENTED)[R]]: Value }
}

type Named<Row> = { resource: string; name: string; endpoint: Row }

const rowsOf = <Row>(tables: Readonly<Record<string, Readonly<Record<string, Row>>>>) =>
  Object.entries(tables).flatMap(([resource, table]) =>
    Object.entries(table).map(([name, endpoint]): Named<Row> => ({ resource, name, endpoint })),
  )

/** All endpoints under /api. Names are unique. */
export const listEndpoints = () => rowsOf<Endpoint>(ENDPOINTS)

export const listDocumented = () => rowsOf<Endpoint<EndpointParts, Access>>(DOCUMENTED)
