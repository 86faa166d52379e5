import type { BillKind } from '@tollgate/contract'
import { anthropicCosts, anthropicUsage } from './anthropic.ts'
import { gatewayLog } from './gateway.ts'
import type { Importer } from './importer.ts'
import { openaiCosts, openaiUsage } from './openai.ts'
import { openRouter } from './openrouter.ts'

/** Null for bills that have no API. */
export const IMPORTERS: Readonly<Record<BillKind, Importer | null>> = {
  openai_costs: openaiCosts,
  openai_usage: openaiUsage,
  anthropic_costs: anthropicCosts,
  anthropic_usage: anthropicUsage,
  openrouter: openRouter,
  gateway: gatewayLog,
  csv: null,
}
