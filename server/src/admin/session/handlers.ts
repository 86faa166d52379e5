import type { sessionEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { deleteSession } from '../../store/sessions.ts'
import type { AdminDeps } from '../deps.ts'
import { signInReply } from '../second-factor/begin-session.ts'
import { createAccountCallLimits } from './account-call-limits.ts'
import { createHumanCheck } from './captcha.ts'
import { logIn } from './log-in.ts'
import { createLoginLimits } from './login-limits.ts'
import { register } from './register.ts'
import { resetPassword } from './reset-password.ts'
import { sendResetMail } from './send-reset-mail.ts'
import { sendVerificationCode } from './send-verification-code.ts'

export function sessionHandlers(deps: AdminDeps): Handlers<typeof sessionEndpoints> {
  const logins = createLoginLimits(deps, 'login')
  const limits = createAccountCallLimits(deps)
  const guards = { ...limits, ...createHumanCheck(deps) }
  const forget = async (sessionId: string | null) => {
    if (sessionId === null) return
    await deleteSession(deps.database.kysely, deps.secrets.hashSession(sessionId))
  }
  return {
    login: async (context, { body }) => {
      const { address, isNear, userAgent, site, device: given, sessionId: old } = context
      const attempt = { ...body, address, isNear, userAgent, site, device: given }
      const { device, ...outcome } = await logIn(deps, logins, attempt)
      if (outcome.type === 'signed_in') await forget(old)
      return { ...signInReply(outcome), ...(device === undefined ? {} : { device }) }
    },
    logout: async ({ sessionId }) => {
      await forget(sessionId)
      return { session: null }
    },
    register: async ({ address }, { query, body }) => {
      const { turnstile } = query
      await register(deps, guards, { draft: body, turnstile, address })
      return {}
    },
    sendVerificationCode: async ({ address, language }, { query }) => {
      await sendVerificationCode(deps, guards, { ...query, address, language })
      return {}
    },
    sendResetMail: async ({ address, language }, { query }) => {
      await sendResetMail(deps, guards, { ...query, address, language })
      return {}
    },
    resetPassword: async ({ address }, { body }) => {
      const { password, device } = await resetPassword(deps, limits, { ...body, address })
      return { data: password, device }
    },
  }
}
