import { lazy, Suspense, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet } from 'react-router'
import { getOpenQuestion, onQuestion } from '../lib/confirm.ts'
import { useIsAdmin } from '../lib/session.ts'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import classes from './layout.module.css'
import { PageTitle } from './page-title.tsx'
import { useNotice } from './use-notice.ts'

const FirstSteps = lazy(async () => ({
  default: (await import('./first-steps.tsx')).FirstSteps,
}))

const ConfirmDialog = lazy(async () => ({
  default: (await import('../ui/confirm-dialog.tsx')).ConfirmDialog,
}))

/** The frame around every page. */
export function Layout() {
  const { t } = useTranslation()
  const hasQuestion = useSyncExternalStore(onQuestion, () => getOpenQuestion() !== null)
  const isAdmin = useIsAdmin()
  useNotice()
  return (
    <div className={classes['frame']}>
      <a href="#main" className={classes['skip']}>
        {t('common.frame.skip')}
      </a>
      <Header />
      <main id="main" tabIndex={-1} className={classes['main']}>
        <PageTitle />
        {isAdmin && (
          <Suspense>
            <FirstSteps />
          </Suspense>
        )}
        <Outlet />
        <div id="overlays" />
      </main>
      <Footer />
      {hasQuestion && (
        <Suspense>
          <ConfirmDialog />
        </Suspense>
      )}
    </div>
  )
}
