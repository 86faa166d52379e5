import { accountFeature } from '../features/account/feature.ts'
import { channelsFeature } from '../features/channels/feature.ts'
import { homeFeature } from '../features/home/feature.ts'
import { logsFeature } from '../features/logs/feature.ts'
import { sessionFeature } from '../features/session/feature.ts'
import { tokensFeature } from '../features/tokens/feature.ts'
import { usersFeature } from '../features/users/feature.ts'
import type { Feature } from '../lib/feature.ts'

/** Everything the console can do; a page is one folder and one line here. */
export const features: readonly Feature[] = [
  homeFeature,
  sessionFeature,
  channelsFeature,
  tokensFeature,
  usersFeature,
  logsFeature,
  accountFeature,
]

export const navItems = features
  .flatMap((feature) => feature.nav)
  .toSorted((a, b) => a.position - b.position)
