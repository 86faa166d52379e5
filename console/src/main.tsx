import './lib/older-browsers.ts'
import './lib/composing.ts'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { features } from './app/features.ts'
import { appMessages } from './app/messages.ts'
import { preloadFirst } from './app/page-route.tsx'
import { routes } from './app/routes.tsx'
import { setUpTexts } from './i18n/setup.ts'
import { onLanguage, t } from './i18n/texts.ts'
import { getOpenQuestion } from './lib/confirm.ts'
import { answerConfirmation } from './lib/confirmation.ts'
import { forgetEarlyAnswers } from './lib/early-answers.ts'
import { watchStyles } from './lib/lost-styles.ts'
import { onPageShown } from './lib/page-shown.ts'
import { createQueryClient } from './lib/query-client.ts'
import { isFactorRequired, onFactorRequired, setFactorRequired } from './lib/required-factor.ts'
import { currentLocation, navigate, startHistory } from './lib/router/history.ts'
import { matchRoute } from './lib/router/match.ts'
import { expireSession, forgetAnswers, loginPath, onOtherSession } from './lib/session.ts'
import { statusQuery } from './lib/status.ts'
import { showError, showInfo } from './lib/toast.ts'
import { tolerateTranslators } from './lib/translated-pages.ts'
import './ui/global.css'
import './ui/touch.css'

const titles = features.map(({ name, titles: texts }) => [`${name}Title`, texts] as const)
setUpTexts({ app: appMessages, ...Object.fromEntries(titles) })

startHistory()
tolerateTranslators()
watchStyles()
onPageShown(forgetEarlyAnswers)

/** Cancels open questions, so that the next user does not answer them. */
function closeQuestions() {
  getOpenQuestion()?.answer(false)
  answerConfirmation(false)
}

const client = createQueryClient(() => {
  closeQuestions()
  expireSession()
  const { pathname, search } = currentLocation()
  if (pathname !== '/login') {
    void navigate(loginPath(), { state: { from: { pathname, search } } })
  }
})

onFactorRequired(() => {
  if (isFactorRequired()) void navigate('/setting')
})

// The server localizes reasons and notes by the request language.
onLanguage(() => void client.invalidateQueries())

client.query(statusQuery).catch(() => showError(t('common.error.status')))

const element = document.querySelector('#root')
if (!element) throw new Error('The page has no #root')
const root = createRoot(element)

/** A new key remounts everything, so no form or half-done step survives a user change. */
const show = (run: number) =>
  root.render(
    <StrictMode>
      <App key={run} client={client} />
    </StrictMode>,
  )

let run = 0
const { route } = matchRoute(routes, currentLocation().pathname) ?? {}
preloadFirst(route?.path, client)
// In short slices, so that the page answers while it is built.
startTransition(() => show(run))

// The session cookie is shared by all tabs, so this tab's data now belongs to a previous user.
onOtherSession((user) => {
  closeQuestions()
  setFactorRequired(false)
  client.getMutationCache().clear()
  forgetAnswers(client)
  run += 1
  show(run)
  if (user) showInfo(t('common.session.otherUser', { name: user.username }))
  else showInfo(t('common.session.ended'))
})
