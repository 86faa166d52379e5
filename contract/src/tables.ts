import { billingEndpoints } from './billing.ts'
import { channelEndpoints, modelEndpoints } from './channel.ts'
import type { Access, Endpoint, EndpointParts } from './endpoint.ts'
import { logEndpoints } from './log.ts'
import { oauthEndpoints } from './oauth.ts'
import { optionEndpoints } from './options.ts'
import { redemptionEndpoints } from './redemption.ts'
import { secondFactorEndpoints, secondFactorSignInEndpoints } from './second-factor.ts'
import { sessionEndpoints } from './session.ts'
import { statEndpoints } from './stat.ts'
import { statusEndpoints } from './status.ts'
import { tokenEndpoints } from './token.ts'
import { topUpEndpoints } from './topup.ts'
import { selfEndpoints, userEndpoints } from './user.ts'

/**
 * Every endpoint under /api, by resource. What is about all of them comes from here: the API document
 * and the tests. Routes and pages name the table they need, so that no page loads the others.
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
  logs: logEndpoints,
  stat: statEndpoints,
  users: userEndpoints,
  redemptions: redemptionEndpoints,
  channels: channelEndpoints,
  models: modelEndpoints,
  options: optionEndpoints,
} as const

/** With those that the data plane serves beside its dialect, which are no part of /api. */
const DOCUMENTED = { ...ENDPOINTS, billing: billingEndpoints } as const

export type Resource = keyof typeof DOCUMENTED

/** One text, or whatever else, for every endpoint; a missing one does not compile. */
export type PerEndpoint<Value> = {
  readonly [R in Resource]: { readonly [Name in keyof (typeof DOCUMENTED)[R]]: Value }
}

type Named<Row> = { resource: string; name: string; endpoint: Row }

const rowsOf = <Row>(tables: Readonly<Record<string, Readonly<Record<string, Row>>>>) =>
  Object.entries(tables).flatMap(([resource, table]) =>
    Object.entries(table).map(([name, endpoint]): Named<Row> => ({ resource, name, endpoint })),
  )

/** All rows under /api; a name occurs once. */
export const listEndpoints = () => rowsOf<Endpoint>(ENDPOINTS)

/** All that the API document tells of. */
export const listDocumented = () => rowsOf<Endpoint<EndpointParts, Access>>(DOCUMENTED)
