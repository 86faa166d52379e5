import type { Feature } from '../../lib/feature.ts'
import { signUpTitles } from './titles.messages.ts'

export const signUpFeature: Feature = {
  name: 'entry',
  titles: signUpTitles,
  messages: async () => (await import('./messages.ts')).signUpMessages,
  pages: [
    {
      path: '/register',
      title: 'entryTitle.register',
      access: 'public',
      isBeforeFactor: true,
      load: async () => (await import('./register-page.tsx')).RegisterPage,
    },
    {
      path: '/reset',
      title: 'entryTitle.reset',
      access: 'public',
      isBeforeFactor: true,
      load: async () => (await import('./reset-page.tsx')).ResetPage,
    },
    {
      path: '/user/reset',
      title: 'entryTitle.reset',
      access: 'public',
      isBeforeFactor: true,
      load: async () => (await import('./new-password-page.tsx')).NewPasswordPage,
    },
    ...(['github', 'oidc', 'lark'] as const).map((provider) => ({
      path: `/oauth/${provider}`,
      title: 'sessionTitle.login' as const,
      access: 'public' as const,
      isBeforeFactor: true as const,
      load: async () => (await import('./oauth-page.tsx')).OAuthPages[provider],
    })),
  ],
}
