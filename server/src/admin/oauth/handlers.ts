import {
  BIND_MESSAGE,
  type EndpointInput,
  type OAuthProvider,
  type oauthEndpoints,
} from '@tollgate/contract'
import type { Context, Handlers } from '../../http/mount.ts'
import { deleteSession } from '../../store/sessions.ts'
import type { AdminDeps } from '../deps.ts'
import { signInReply } from '../second-factor/begin-session.ts'
import { requireConfirmed } from '../second-factor/require-confirmed.ts'
import { createAccountCallLimits } from '../session/account-call-limits.ts'
import { createLoginLimits } from '../session/login-limits.ts'
import { askIdentityServer, confirmIdentity } from './ask-identity-server.ts'
import { bindEmail } from './bind-email.ts'
import { bindIdentity, requireBindable } from './bind.ts'
import { handleCallback, findBinder, type OAuthDeps } from './oauth-callback.ts'
import { createOAuthLimits } from './oauth-limits.ts'
import { createProviders } from './providers.ts'
import { signInByIdentity } from './sign-in.ts'
import { beginState, proofOf } from './state.ts'

type StartContext = Context<typeof oauthEndpoints.startOAuth>
type CallbackInput = EndpointInput<typeof oauthEndpoints.signInByGitHub>

export function oauthHandlers(deps: AdminDeps): Handlers<typeof oauthEndpoints> {
  const oauthDeps = { limits: createOAuthLimits(deps), providers: createProviders(deps) }
  const emailLimits = {
    binders: createLoginLimits(deps, 'bind'),
    codes: createAccountCallLimits(deps),
  }
  /** 0 without a live session. The state proves the confirmation until the browser returns. */
  const binderId = async ({ sessionId, site }: Pick<StartContext, 'sessionId' | 'site'>) => {
    const binder = await findBinder(deps, sessionId)
    if (binder) await requireConfirmed(deps, { ...binder, site })
    return binder?.caller.id ?? 0
  }
  const callbackHandler = (name: OAuthProvider) => createCallbackHandler(deps, oauthDeps, name)
  return {
    createOAuthState: async (context) => {
      const { address, browserId: old } = context
      await oauthDeps.limits.take('start', address)
      const userId = await binderId(context)
      const { state, browserId } = await beginState(deps, { browserId: old, provider: '', userId })
      return { data: state, browser: browserId }
    },
    startOAuth: async (context, { query: { provider: name } }) => {
      const { address, browserId: old } = context
      await oauthDeps.limits.take('start', address)
      const provider = oauthDeps.providers.require(name)
      const userId = await binderId(context)
      const oauthState = await beginState(deps, { browserId: old, provider: name, userId })
      const { state, browserId } = oauthState
      const start = { state, proof: proofOf(deps.secrets, state) }
      const url = await askIdentityServer(deps, provider, () => provider.authorizeUrl(start))
      return { data: url, browser: browserId }
    },
    signInByGitHub: callbackHandler('github'),
    signInByOidc: callbackHandler('oidc'),
    signInByLark: callbackHandler('lark'),
    ...weChatHandlers(deps, oauthDeps),
    bindEmail: async (binder, { query }) => {
      await bindEmail(deps, emailLimits, { ...query, address: binder.address, binder })
      return {}
    },
  }
}

function createCallbackHandler(deps: AdminDeps, oauthDeps: OAuthDeps, name: OAuthProvider) {
  return async (
    context: Context<typeof oauthEndpoints.signInByGitHub>,
    { query }: CallbackInput,
  ) => {
    const outcome = await handleCallback(deps, oauthDeps, { ...query, ...context, name })
    if (outcome.type === 'bound') return { message: BIND_MESSAGE, data: undefined }
    return signInReply(outcome)
  }
}

function weChatHandlers(
  deps: AdminDeps,
  { limits, providers }: OAuthDeps,
): Pick<Handlers<typeof oauthEndpoints>, 'signInByWeChat' | 'bindWeChat'> {
  const open = (code: string) => {
    const weChat = providers.requireWeChat()
    return { weChat, confirm: () => confirmIdentity(deps, weChat, () => weChat.readIdentity(code)) }
  }
  return {
    signInByWeChat: async ({ address, userAgent, site, sessionId: old }, { query }) => {
      const forgive = await limits.take('wechat', address)
      const { weChat, confirm } = open(query.code)
      const identity = await confirm()
      const visit = { address, userAgent, site }
      const outcome = await signInByIdentity(deps, weChat, { identity, visit })
      const isReplaced = outcome.type === 'signed_in' && old !== null
      if (isReplaced) await deleteSession(deps.database.kysely, deps.secrets.hashSession(old))
      await forgive()
      return signInReply(outcome)
    },
    bindWeChat: async (binder, { query }) => {
      const forgive = await limits.take('wechat', binder.address)
      requireBindable(binder)
      const { weChat, confirm } = open(query.code)
      await bindIdentity(deps, weChat, { binder, identity: await confirm() })
      await forgive()
      return {}
    },
  }
}
