import { accountFeature } from '../features/account/feature.ts'
import { alertsFeature } from '../features/alerts/feature.ts'
import { availabilityFeature } from '../features/availability/feature.ts'
import { billingFeature } from '../features/billing/feature.ts'
import { billsFeature } from '../features/bills/feature.ts'
import { catalogFeature } from '../features/catalog/feature.ts'
import { channelsFeature } from '../features/channels/feature.ts'
import { contentFeature } from '../features/content/feature.ts'
import { dashboardFeature } from '../features/dashboard/feature.ts'
import { homeFeature } from '../features/home/feature.ts'
import { loginFeature } from '../features/login/feature.ts'
import { logsFeature } from '../features/logs/feature.ts'
import { partnerFeature } from '../features/partner/feature.ts'
import { playFeature } from '../features/play/feature.ts'
import { pricingFeature } from '../features/pricing/feature.ts'
import { redemptionsFeature } from '../features/redemptions/feature.ts'
import { settingsFeature } from '../features/settings/feature.ts'
import { signUpFeature } from '../features/sign-up/feature.ts'
import { tokensFeature } from '../features/tokens/feature.ts'
import { topUpFeature } from '../features/topup/feature.ts'
import { usageFeature } from '../features/usage/feature.ts'
import { userTokensFeature } from '../features/user-tokens/feature.ts'
import { usersFeature } from '../features/users/feature.ts'
import type { Feature } from '../lib/feature.ts'

export const features: readonly Feature[] = [
  homeFeature,
  loginFeature,
  signUpFeature,
  dashboardFeature,
  usageFeature,
  channelsFeature,
  catalogFeature,
  playFeature,
  tokensFeature,
  usersFeature,
  userTokensFeature,
  logsFeature,
  accountFeature,
  settingsFeature,
  pricingFeature,
  billsFeature,
  alertsFeature,
  redemptionsFeature,
  topUpFeature,
  billingFeature,
  partnerFeature,
  contentFeature,
  availabilityFeature,
]

export const navItems = features
  .flatMap(({ nav = [] }) => nav)
  .toSorted((a, b) => a.position - b.position)
