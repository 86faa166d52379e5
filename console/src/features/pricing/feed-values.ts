import { z } from 'zod'
import { type PriceFeed, priceFeedDraft } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { checked } from '../../lib/form.ts'
import type { FeedDraft } from './queries.ts'

const { name, kind, url, key_group, auto_vendors } = priceFeedDraft.shape

const wholeNumber = (min: number, max: number, error: MessageKey) =>
  z
    .string()
    .refine((text) => /^\d{1,4}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max, {
      error,
    })

/** Numbers are texts while they are typed. */
export const feedForm = z.object({
  name: checked(name, 'pricing.feed.nameError'),
  kind,
  url: checked(url, 'pricing.feed.urlError'),
  key_group: key_group.unwrap(),
  auto_vendors: auto_vendors.unwrap(),
  every_hours: wholeNumber(0, 720, 'pricing.feed.hoursError'),
  alert_percent: wholeNumber(1, 1000, 'pricing.feed.percentError'),
  stale_days: wholeNumber(1, 365, 'pricing.feed.daysError'),
})

type FeedValues = z.output<typeof feedForm>

const LITELLM =
  'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json'

const NEW_FEED: FeedValues = {
  name: 'LiteLLM',
  kind: 'litellm',
  url: LITELLM,
  key_group: 'default',
  auto_vendors: '',
  every_hours: '24',
  alert_percent: '20',
  stale_days: '7',
}

export function valuesOf(feed: PriceFeed | null): FeedValues {
  if (feed === null) return NEW_FEED
  const { every_hours, alert_percent, stale_days } = feed
  return {
    name: feed.name,
    kind: feed.kind,
    url: feed.url,
    key_group: feed.key_group,
    auto_vendors: feed.auto_vendors,
    every_hours: String(every_hours),
    alert_percent: String(alert_percent),
    stale_days: String(stale_days),
  }
}

export const draftOf = (values: FeedValues): FeedDraft => ({
  ...values,
  every_hours: Number(values.every_hours),
  alert_percent: Number(values.alert_percent),
  stale_days: Number(values.stale_days),
})
