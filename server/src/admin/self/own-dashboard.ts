import { listDaysOfUser } from '../../store/rollups.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

const SECONDS_PER_DAY = 86_400
/** Includes today. */
const DAYS = 7

/** By day (UTC) and model. The keys are spelled as older front ends read them. */
export async function ownDashboard(deps: AdminDeps, userId: number) {
  const firstDay = Math.floor(nowSeconds(deps) / SECONDS_PER_DAY) - (DAYS - 1)
  const rows = await listDaysOfUser(deps.database.kysely, { userId, firstDay })
  return rows
    .toSorted((a, b) => a.day - b.day || compareTexts(a.model_name, b.model_name))
    .map((row) => ({
      Day: dayText(row.day),
      ModelName: row.model_name,
      RequestCount: row.requests,
      Quota: row.quota,
      PromptTokens: row.prompt_tokens,
      CompletionTokens: row.completion_tokens,
    }))
}

/** The order must not depend on the database's collation. */
const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const dayText = (day: number) => new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10)
