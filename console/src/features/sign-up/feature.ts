import type { Feature } from '../../lib/feature.ts'
import { signUpTitles } from './titles.messages.ts'

export const signUpFeature: Feature = {
  name: 'entry',
  titles: signUpTitles,
  messages: () => import('./messages.ts').then((module) => module.signUpMessages),
  pages: [
    {
      path: '/register',
      title: 'entryTitle.register',
      access: 'public',
      isBeforeFactor: true,
      load: () => import('./register-page.tsx').then((module) => module.RegisterPage),
    },
    {
      path: '/reset',
      title: 'entryTitle.reset',
      access: 'public',
      isBeforeFactor: true,
      load: () => import('./reset-page.tsx').then((module) => module.ResetPage),
    },
    {
      path: '/user/reset',
      title: 'entryTitle.reset',
      access: 'public',
      isBeforeFactor: true,
      load: () => import('./new-password-page.tsx').then((module) => module.NewPasswordPage),
    },
    ...(['github', 'oidc', 'lark'] as const).map((provider) => ({
      path: `/oauth/${provider}`,
      title: 'sessionTitle.login' as const,
      access: 'public' as const,
      isBeforeFactor: true as const,
      load: () => import('./oauth-page.tsx').then((module) => module.OAuthPages[provider]),
    })),
  ],
}
