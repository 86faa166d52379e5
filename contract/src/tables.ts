import { channelEndpoints, modelEndpoints } from './channel.ts'
import type { Endpoint } from './endpoint.ts'
import { logEndpoints } from './log.ts'
import { oauthEndpoints } from './oauth.ts'
import { optionEndpoints } from './options.ts'
import { redemptionEndpoints } from './redemption.ts'
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
export const ENDPOINTS = {
  status: statusEndpoints,
  session: sessionEndpoints,
  oauth: oauthEndpoints,
  self: selfEndpoints,
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

export type Resource = keyof typeof ENDPOINTS

/** One text, or whatever else, for every endpoint; a missing one does not compile. */
export type PerEndpoint<Value> = {
  readonly [R in Resource]: { readonly [Name in keyof (typeof ENDPOINTS)[R]]: Value }
}

export type NamedEndpoint = { resource: string; name: string; endpoint: Endpoint }

/** All rows of all tables; a name occurs once. */
export const listEndpoints = (): NamedEndpoint[] =>
  Object.entries(ENDPOINTS).flatMap(([resource, table]) =>
    Object.entries<Endpoint>(table).map(([name, endpoint]) => ({ resource, name, endpoint })),
  )
