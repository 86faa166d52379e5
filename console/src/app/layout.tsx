import { useSyncExternalStore } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { getOpenQuestion, onQuestion } from '../lib/confirm.ts'
import { answerConfirmation, getConfirmationNeed, onConfirmationNeed } from '../lib/confirmation.ts'
import { useIsPageShown } from '../lib/page-shown.ts'
import { useRoute } from '../lib/router/router.tsx'
import { useSession } from '../lib/session.ts'
import { Hints } from '../ui/hints.tsx'
import { LazyPart } from '../ui/lazy-part.tsx'
import { loadQuestion } from '../ui/load-question.ts'
import { ErrorBoundary } from './error-page.tsx'
import { FirstStepsGate } from './first-steps-gate.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import classes from './layout.module.css'
import { NoticeGate } from './notice-gate.tsx'
import { PageTitle } from './page-title.tsx'
import { UnconfirmedGate } from './unconfirmed-gate.tsx'
import { useIsNarrow } from './use-is-narrow.ts'
import { useNewerVersion } from './use-newer-version.ts'
import { useScrollMemory } from './use-scroll-memory.ts'
import { useShortcuts } from './use-shortcuts.ts'

const PARTS = {
  palette: () => import('./palette/palette.tsx').then((module) => module.Palette),
  shortcuts: () => import('./palette/shortcut-list.tsx').then((module) => module.ShortcutList),
} as const

const loadBottomBar = async () => (await import('./bottom-bar.tsx')).BottomBar

const loadConfirmation = async () =>
  (await import('../ui/identity/confirmation-dialog.tsx')).ConfirmationDialog

export function Layout() {
  const { t } = useTranslation()
  const hasQuestion = useSyncExternalStore(onQuestion, () => getOpenQuestion() !== null)
  const need = useSyncExternalStore(onConfirmationNeed, getConfirmationNeed)
  const [opened, setOpened] = useShortcuts()
  // When a dialog opens another dialog, its own close event arrives after the new dialog has
  // opened.
  const close = () => setOpened((current) => (current === opened ? null : current))
  useNewerVersion()
  useScrollMemory()
  const isNarrow = useIsNarrow()
  const hasBar = useSession() !== null && isNarrow
  const isPageShown = useIsPageShown()
  return (
    <div className={classes['frame']} data-bar={hasBar || undefined}>
      <a href="#main" className={classes['skip']}>
        {t('common.frame.skip')}
      </a>
      <Header onPalette={() => setOpened('palette')} />
      <NoticeGate />
      <main id="main" tabIndex={-1} className={classes['main']}>
        <PageTitle />
        <UnconfirmedGate />
        <FirstStepsGate />
        <ErrorBoundary>{useRoute()?.element}</ErrorBoundary>
        <div id="overlays" />
        <Hints />
      </main>
      <Footer />
      {hasBar && isPageShown && <LazyPart name="bottom-bar" load={loadBottomBar} props={{}} />}
      {opened !== null && (
        <LazyPart
          key={opened}
          name={opened}
          load={PARTS[opened]}
          props={{ onClose: close, onShortcuts: () => setOpened('shortcuts') }}
          onFail={close}
        />
      )}
      {hasQuestion && (
        <LazyPart
          name="confirm-dialog"
          load={loadQuestion}
          props={{}}
          onFail={() => getOpenQuestion()?.answer(false)}
        />
      )}
      {need && (
        <LazyPart
          name="confirmation-dialog"
          load={loadConfirmation}
          props={{ ways: need.ways }}
          onFail={() => answerConfirmation(false)}
        />
      )}
    </div>
  )
}
