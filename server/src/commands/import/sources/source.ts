import type { BudgetPeriod } from '@tollgate/contract'
import type { SourceChannel } from '../../../other-gateways/source-channel.ts'

/** Ids are those of the source. Amounts are in quota units, times in epoch seconds. */
export type SourceUser = {
  readonly id: string
  readonly username: string
  /** A bcrypt hash, or empty. */
  readonly passwordHash: string
  readonly displayName: string
  readonly role: number
  readonly isEnabled: boolean
  readonly email: string
  readonly githubId: string
  readonly wechatId: string
  readonly larkId: string
  readonly oidcId: string
  readonly accessToken: string
  readonly quota: number
  readonly usedQuota: number
  readonly requestCount: number
  readonly group: string
  readonly inviteCode: string
  /** Empty without an inviter. */
  readonly inviterId: string
  readonly createdTime: number
}

export type SourceToken = {
  readonly id: string
  readonly userId: string
  /** Without `sk-`. Some gateways store only the SHA-256 of the key with its prefix, in hex. */
  readonly key: { readonly plain: string } | { readonly sha256: string }
  readonly status: number
  readonly name: string
  readonly createdTime: number
  readonly accessedTime: number
  readonly expiredTime: number
  readonly isUnlimited: boolean
  readonly remainQuota: number
  readonly usedQuota: number
  readonly models: readonly string[]
  readonly subnets: readonly string[]
  readonly budget: { readonly quota: number; readonly period: BudgetPeriod } | null
}

export type SourceCode = {
  readonly id: string
  readonly key: string
  readonly status: number
  readonly name: string
  readonly quota: number
  readonly createdTime: number
  readonly expiredTime: number
}

/** Prices in dollars per million tokens from a prompt length on. */
export type SourceTier = {
  readonly above: number
  readonly input: number
  readonly output: number
  readonly cached?: number
}

export type SourceTiers = ReadonlyMap<
  string,
  {
    readonly input: number
    readonly output: number
    readonly cached?: number
    readonly cache_write?: number
    readonly long: readonly SourceTier[]
  }
>

export type SourceSettings = {
  /** Texts by the name of an option of this product. */
  readonly options: ReadonlyMap<string, string>
  /** Names of options that have no counterpart. */
  readonly unknown: readonly string[]
  /** Prices that depend on the length of the prompt. */
  readonly tiers: SourceTiers
}

export type SourceLog = {
  readonly userId: string
  readonly username: string
  /** Empty if the log has only names. */
  readonly tokenId: string
  readonly tokenName: string
  readonly at: number
  readonly type: 'topup' | 'consume' | 'manage' | 'system'
  readonly content: string
  readonly model: string
  readonly upstreamModel: string
  /** Empty without a channel. */
  readonly channelId: string
  readonly quota: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly elapsedMs: number | null
  readonly firstTokenMs: number
  readonly isStream: boolean
  /** Empty if unknown: the group of the user. */
  readonly group: string
}

export type Source = {
  readonly product: string
  readonly users: () => AsyncIterable<readonly SourceUser[]>
  readonly tokens: () => AsyncIterable<readonly SourceToken[]>
  readonly channels: () => AsyncIterable<readonly SourceChannel[]>
  readonly codes: () => AsyncIterable<readonly SourceCode[]>
  readonly settings: () => Promise<SourceSettings>
  /** In the order in which the log was written, after the row that `cursor` names. */
  readonly logs: (
    cursor: string,
  ) => AsyncIterable<{ readonly rows: readonly SourceLog[]; readonly cursor: string }>
  readonly close: () => Promise<void>
}
