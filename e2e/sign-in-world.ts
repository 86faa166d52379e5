import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type OAuthProvider, optionEndpoints, userEndpoints } from '@tollgate/contract'
import { openHttpsServer } from '../server/testing/fakes/https-server.ts'
import {
  CLIENT,
  openGitHubServer,
  openLarkServer,
  openWeChatServer,
  type Resident,
  WECHAT_TOKEN,
} from '../server/testing/fakes/identity-servers.ts'
import { openMailServer } from '../server/testing/fakes/mail-server.ts'
import { openOidcServer } from '../server/testing/fakes/oidc-server.ts'
import { openTestTls } from '../server/testing/harness/tls.ts'
import { intercept } from './intercept.ts'
import { openWorld } from './world.ts'

export const PASSWORD = 'a good password'

export const CAPTCHA = 'https://challenges.cloudflare.com/*'
const VERDICTS = '/turnstile/v0/siteverify'

/** Plays Cloudflare's Turnstile script: a click in the widget produces a token. */
const HUMAN_CHECK = `
  // No page gets the token of another.
  const letters = [...crypto.getRandomValues(new Uint8Array(8))]
  const page = letters.map((byte) => String.fromCharCode(97 + (byte % 26))).join('')
  let made = 0
  window.turnstile = {
    render(holder, settings) {
      made += 1
      const token = settings.sitekey + ' ' + settings.language + '-' + page + ' ' + made
      holder.innerHTML = '<button type="button">I am human</button>'
      holder.dataset.size = settings.size
      holder.dataset.language = settings.language
      holder.firstChild.onclick = () => settings.callback(token)
      return token
    },
    remove() {},
  }
`

/** The servers that a login may contact, and a folder for their CA certificate. */
async function openServers() {
  const [github, lark, wechat, oidc, mail, human, tls, folder] = await Promise.all([
    openGitHubServer(),
    openLarkServer(),
    openWeChatServer(),
    openOidcServer(),
    openMailServer(),
    openHttpsServer(),
    openTestTls(),
    mkdtemp(path.join(tmpdir(), 'tollgate-e2e-tls-')),
  ])
  const spent = new Set<string>()
  human.route(VERDICTS, ({ body }) => {
    const token = new URLSearchParams(body).get('response') ?? ''
    const success = !spent.has(token)
    spent.add(token)
    return { body: { success, 'error-codes': [] } }
  })
  const authority = path.join(folder, 'authority.pem')
  await writeFile(authority, tls.ca)
  const close = async () => {
    const servers = [github, lark, wechat, oidc, mail, human]
    await Promise.all(servers.map((server) => server.close()))
    await rm(folder, { recursive: true, force: true })
  }
  return { github, lark, wechat, oidc, mail, human, authority, close }
}

type Servers = Awaited<ReturnType<typeof openServers>>

const optionsFor = ({ oidc, wechat, mail }: Servers) => ({
  SMTPServer: '127.0.0.1',
  SMTPPort: String(mail.port),
  SMTPFrom: 'gate@example.com',
  GitHubClientId: CLIENT.id,
  GitHubClientSecret: CLIENT.secret,
  LarkClientSecret: CLIENT.secret,
  OidcClientId: CLIENT.id,
  OidcClientSecret: CLIENT.secret,
  OidcWellKnown: `${oidc.url}/.well-known/openid-configuration`,
  WeChatServerAddress: wechat.url,
  WeChatServerToken: WECHAT_TOKEN,
  TurnstileSiteKey: 'site-key',
  TurnstileSecretKey: 'secret-key',
})

const ALL_WAYS = {
  GitHubOAuthEnabled: 'true',
  OidcEnabled: 'true',
  LarkClientId: CLIENT.id,
  WeChatAuthEnabled: 'true',
}

/** A world with every server that a login may contact; the login methods are still off. */
export async function openSignInWorld(browser: Browser) {
  const servers = await openServers()
  const { github, lark, oidc, human, mail } = servers
  const world = await openWorld(browser, {
    NODE_EXTRA_CA_CERTS: servers.authority,
    GITHUB_ADDRESS: github.url,
    GITHUB_API_ADDRESS: github.url,
    LARK_ADDRESS: lark.url,
    TURNSTILE_ADDRESS: human.url,
  })
  const identityServers = { github, oidc, lark }
  const { url } = world.server
  const set = async (options: Record<string, string>) => {
    for (const [key, value] of Object.entries(options)) {
      await world.asRoot(optionEndpoints.updateOption, { body: { key, value } })
    }
  }
  await set({ ServerAddress: url, ...optionsFor(servers) })
  return {
    ...world,
    ...identityServers,
    wechat: servers.wechat,
    set,
    offerAll: () => set(ALL_WAYS),
    /** Serves the identity provider's page, with a link that grants the request as this person. */
    allowAs: (page: Page, name: OAuthProvider, resident: Resident) => {
      const server = identityServers[name]
      return intercept(page, `${server.url}/*`, (asked) => {
        const { code, state } = server.allow(asked, resident)
        const href = `${url}/oauth/${name}?code=${code}&amp;state=${state}`
        const noIcon = '<link rel="icon" href="data:,">'
        return { contentType: 'text/html', body: `${noIcon}<a href="${href}">Allow</a>` }
      })
    },
    answerHumanCheck: (page: Page) =>
      intercept(page, CAPTCHA, () => ({ contentType: 'text/javascript', body: HUMAN_CHECK })),
    /** Text of the newest mail to an address, after the first `after` mails. */
    mailTo: (email: string, after = 0) => waitForMail(mail, email, after),
    /** Adds a user with a verified address; the first mail is the verification. */
    addUserWithEmail: async (username: string, email: string) => {
      await world.asRoot(userEndpoints.createUser, { body: { username, password: PASSWORD } })
      const cookie = await logIn(url, username)
      const get = (address: string, query: Record<string, string>) =>
        fetch(`${url}${address}?${new URLSearchParams(query).toString()}`, { headers: { cookie } })
      await get('/api/verification', { email })
      const code = codeIn(await waitForMail(mail, email, 0))
      await get('/api/oauth/email/bind', { email, code })
    },
    close: async () => {
      await world.close()
      await servers.close()
    },
  }
}

async function logIn(url: string, username: string): Promise<string> {
  const { headers } = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
  })
  return headers.getSetCookie()[0] ?? ''
}

async function waitForMail({ mails }: Servers['mail'], email: string, after: number) {
  for (let waited = 0; waited < 200; waited += 1) {
    const received = mails.filter(({ receivers }) => receivers.includes(email))
    const newest = received.at(-1)
    if (newest && received.length > after) return newest.text
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no mail to ${email}`)
}

export const codeIn = (mail: string): string =>
  /\b[0-9A-Za-z]{6}\b(?=\s*$)/m.exec(mail)?.[0] ?? mail

export const linkIn = (mail: string): string => /https?:\/\/\S+/.exec(mail)?.[0] ?? mail
