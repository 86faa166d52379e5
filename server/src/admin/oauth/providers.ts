import {
  AppError,
  IDENTITY_NAMES,
  type IdentityWay,
  type InBoth,
  type OAuthProvider,
  type OptionValues,
} from '@tollgate/contract'
import { gitHubAuthorizeUrl, readGitHubIdentity } from '../../integrations/github.ts'
import type { Callback, Identity } from '../../integrations/identity.ts'
import { larkAuthorizeUrl, readLarkIdentity } from '../../integrations/lark.ts'
import type { OidcClient } from '../../integrations/oidc.ts'
import { readWeChatIdentity } from '../../integrations/wechat.ts'
import { consoleAddress } from '../../settings/console-address.ts'
import type { UsedWay } from '../../settings/identity-ways.ts'
import type { IdentityColumn } from '../../store/identities.ts'
import type { AdminDeps } from '../deps.ts'

/** An identity provider: its name and the user column that stores the identity. */
export type Way = { column: IdentityColumn; provider: InBoth; prefix: string; used: UsedWay }

export type Provider = Way & {
  authorizeUrl: (start: Start) => Promise<string>
  /** May throw an AskError. */
  readIdentity: (callback: Callback) => Promise<Identity>
}

type Start = { state: string; proof: NonNullable<Callback['proof']> }

export type Providers = {
  /** Throws if the provider is disabled or a setting is missing. */
  require: (name: OAuthProvider) => Provider
  requireWeChat: () => Way & { readIdentity: (code: string) => Promise<Identity> }
}

const WAYS = {
  github: { column: 'github_id', provider: IDENTITY_NAMES.github_id, prefix: 'github_' },
  oidc: { column: 'oidc_id', provider: IDENTITY_NAMES.oidc_id, prefix: 'oidc_' },
  lark: { column: 'lark_id', provider: IDENTITY_NAMES.lark_id, prefix: 'lark_' },
  wechat: { column: 'wechat_id', provider: IDENTITY_NAMES.wechat_id, prefix: 'wechat_' },
} as const satisfies Partial<Record<IdentityWay, Omit<Way, 'used'>>>

export function createProviders(deps: AdminDeps): Providers {
  const openers = {
    github: createGitHub(deps),
    oidc: createOidc(deps),
    lark: createLark(deps),
  }
  return {
    require: (name) => openers[name](),
    requireWeChat: () => {
      const options = deps.settings.current()
      const { WeChatServerAddress: address, WeChatServerToken: token } = options
      requireOffered(WAYS.wechat, options.WeChatAuthEnabled && address !== '')
      return {
        ...wayOf(deps, 'wechat'),
        readIdentity: (code) => readWeChatIdentity(deps.ask, { address, token }, code),
      }
    },
  }
}

const createGitHub = (deps: AdminDeps) => (): Provider => {
  const { GitHubOAuthEnabled, GitHubClientId, GitHubClientSecret } = deps.settings.current()
  requireOffered(WAYS.github, GitHubOAuthEnabled && isSet(GitHubClientId, GitHubClientSecret))
  const gitHub = {
    address: deps.env.GITHUB_ADDRESS,
    apiAddress: deps.env.GITHUB_API_ADDRESS,
    clientId: GitHubClientId,
    clientSecret: GitHubClientSecret,
  }
  return {
    ...wayOf(deps, 'github'),
    authorizeUrl: async ({ state, proof }) =>
      gitHubAuthorizeUrl(gitHub, { state, verifier: proof.verifier }),
    readIdentity: (callback) => readGitHubIdentity(deps.ask, gitHub, callback),
  }
}

const createLark = (deps: AdminDeps) => (): Provider => {
  const options = deps.settings.current()
  const { LarkClientId, LarkClientSecret } = options
  requireOffered(WAYS.lark, isSet(LarkClientId, LarkClientSecret))
  const lark = {
    address: deps.env.LARK_ADDRESS,
    clientId: LarkClientId,
    clientSecret: LarkClientSecret,
    redirectUri: returnAddress(options, 'lark'),
  }
  return {
    ...wayOf(deps, 'lark'),
    authorizeUrl: async ({ state, proof }) =>
      larkAuthorizeUrl(lark, { state, verifier: proof.verifier }),
    readIdentity: (callback) => readLarkIdentity(deps.ask, lark, callback),
  }
}

function createOidc(deps: AdminDeps) {
  let client: Promise<OidcClient> | undefined
  const open = () => (client ??= openOidcClient(deps))
  return (): Provider => {
    const options = deps.settings.current()
    const { OidcWellKnown, OidcAuthorizationEndpoint, OidcTokenEndpoint } = options
    const { OidcUserinfoEndpoint, OidcClientId, OidcClientSecret } = options
    const isPlaced =
      OidcWellKnown !== '' ||
      isSet(OidcAuthorizationEndpoint, OidcTokenEndpoint, OidcUserinfoEndpoint)
    requireOffered(
      WAYS.oidc,
      options.OidcEnabled && isSet(OidcClientId, OidcClientSecret) && isPlaced,
    )
    const oidc = {
      clientId: OidcClientId,
      clientSecret: OidcClientSecret,
      wellKnown: OidcWellKnown,
      authorizationEndpoint: OidcAuthorizationEndpoint,
      tokenEndpoint: OidcTokenEndpoint,
      userinfoEndpoint: OidcUserinfoEndpoint,
      redirectUri: returnAddress(options, 'oidc'),
    }
    return {
      ...wayOf(deps, 'oidc'),
      authorizeUrl: async (start) => (await open()).authorizeUrl(oidc, start),
      readIdentity: async (callback) => (await open()).readIdentity(oidc, callback),
    }
  }
}

/** The library is loaded for its first use. */
async function openOidcClient({ ask, now }: AdminDeps): Promise<OidcClient> {
  const { createOidcClient } = await import('../../integrations/oidc.ts')
  return createOidcClient(ask, now)
}

/** Must run in the same tick as `settings.current()`, so that version and values match. */
const wayOf = ({ settings }: AdminDeps, way: keyof typeof WAYS): Way => ({
  ...WAYS[way],
  used: { way, version: settings.versionOf(way) },
})

const isSet = (...values: string[]) => values.every((value) => value !== '')

function requireOffered({ provider }: Pick<Way, 'provider'>, isOffered: boolean) {
  if (!isOffered) throw new AppError('sign_in_way_disabled', { provider })
}

/** The console page that receives the callback. */
function returnAddress(options: OptionValues, name: OAuthProvider): string {
  const address = consoleAddress(options)
  if (address === '') throw new AppError('server_address_unset')
  return `${address}/oauth/${name}`
}
