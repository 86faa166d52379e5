import { isOptionKey, type OAuthProvider, type OptionKey } from '@tollgate/contract'
import {
  CLIENT,
  openGitHubServer,
  openLarkServer,
  openWeChatServer,
  type Resident,
  WECHAT_TOKEN,
} from '../fakes/identity-servers.ts'
import { openOidcServer } from '../fakes/oidc-server.ts'
import type { DatabaseKind } from '../harness/databases.ts'
import { type Browser, openBrowser } from './browser.ts'
import { type Answer, openControlPlane } from './control-plane.ts'

export const SERVER_ADDRESS = 'https://gate.example'

let addresses = 0

/** The control plane with every login method enabled, and the identity servers. */
export async function openOAuthWorld(kind: DatabaseKind) {
  const [github, lark, wechat, oidc] = await Promise.all([
    openGitHubServer(),
    openLarkServer(),
    openWeChatServer(),
    openOidcServer(),
  ])
  const plane = await openControlPlane(kind, {
    env: { GITHUB_ADDRESS: github.url, GITHUB_API_ADDRESS: github.url, LARK_ADDRESS: lark.url },
  })
  const servers = { github, lark, oidc }
  // Secrets come first: whoever set a secret may change the address that it is sent to.
  const first = {
    ServerAddress: SERVER_ADDRESS,
    QuotaForNewUser: '7000',
    GitHubClientId: CLIENT.id,
    GitHubClientSecret: CLIENT.secret,
    GitHubOAuthEnabled: 'true',
    LarkClientId: CLIENT.id,
    LarkClientSecret: CLIENT.secret,
    OidcClientId: CLIENT.id,
    OidcClientSecret: CLIENT.secret,
    OidcWellKnown: `${oidc.url}/.well-known/openid-configuration`,
    OidcEnabled: 'true',
    OidcAuthorizationEndpoint: '',
    OidcTokenEndpoint: '',
    OidcUserinfoEndpoint: '',
    WeChatServerToken: WECHAT_TOKEN,
    WeChatServerAddress: wechat.url,
    WeChatAuthEnabled: 'true',
  }
  const world = {
    plane,
    github,
    lark,
    wechat,
    oidc,
    /** A new client address each time, so that tests do not share rate limits. */
    newBrowser: (session?: string) => {
      addresses += 1
      const address = `198.51.${100 + (addresses >> 8)}.${addresses & 255}`
      return openBrowser(plane, { address, ...(session === undefined ? {} : { session }) })
    },
    set: async (values: Partial<Record<OptionKey, string>>) => {
      for (const [key, value] of Object.entries(values)) {
        if (isOptionKey(key)) await plane.setOption(key, value)
      }
    },
    /** Starts a login and grants it at the identity server. */
    start: async (browser: Browser, name: OAuthProvider, resident: Resident) => {
      const { data, message } = await browser.get(`/api/oauth/start?provider=${name}`)
      if (typeof data !== 'string') throw new Error(message)
      return { url: data, ...servers[name].allow(data, resident) }
    },
    comeBack: (browser: Browser, name: OAuthProvider, given: { code: string; state: string }) =>
      browser.get(`/api/oauth/${name}?code=${encodeURIComponent(given.code)}&state=${given.state}`),
    signIn: async (
      name: OAuthProvider,
      resident: Resident,
      browser: Browser = world.newBrowser(),
    ): Promise<Answer> => world.comeBack(browser, name, await world.start(browser, name, resident)),
    restore: () => world.set(first),
    close: () =>
      Promise.all([plane.close(), github.close(), lark.close(), wechat.close(), oidc.close()]),
  }
  await world.restore()
  return world
}
