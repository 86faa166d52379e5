import { Button } from '@mantine/core'
import { Code, Columns2, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { CatalogModel, Token } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { catalogQuery, exampleModel, useCatalog } from '../../lib/catalog.ts'
import { confirm } from '../../lib/confirm.ts'
import type { Ask } from '../../lib/feature.ts'
import { splitList } from '../../lib/format.ts'
import { ownTokensQuery, usableTokens } from '../../lib/own-tokens.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link, useSearchParams } from '../../lib/router/router.tsx'
import { useIsAdmin } from '../../lib/session.ts'
import { useEarlyQuery } from '../../lib/use-early-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NoBalance } from '../../ui/no-balance.tsx'
import { Page } from '../../ui/page.tsx'
import { Composer } from './composer.tsx'
import { requestOf, type Turn } from './conversation.ts'
import classes from './play.module.css'
import { hasValidParameters, Settings } from './settings.tsx'
import { SidePicker } from './side-picker.tsx'
import type { Side } from './stored-play.ts'
import { TokenPicker } from './token-picker.tsx'
import { TurnView } from './turn-view.tsx'
import { useFollow } from './use-follow.ts'
import { type Play, usePlay } from './use-play.ts'

const SIDES = ['A', 'B'] as const

const loadCode = async () => (await import('./code-dialog.tsx')).CodeDialog

export function PlayPage() {
  const { t } = useTranslation()
  const catalog = useCatalog()
  const tokens = useEarlyQuery(ownTokensQuery)
  const failed = [catalog, tokens].filter(({ error, data }) => error !== null && !data)
  const [first] = failed
  if (first?.error) {
    return (
      <Failed
        title={t('playTitle.nav')}
        message={errorText(first.error)}
        onRetry={() => {
          for (const query of failed) void query.refetch()
        }}
      />
    )
  }
  if (!catalog.data || !tokens.data) return <Loading page={t('playTitle.nav')} />
  return <Playground models={catalog.data} tokens={usableTokens(tokens.data)} />
}

PlayPage.asks = (ask: Ask) => {
  ask(catalogQuery(true))
  ask(ownTokensQuery)
}

type Props = { models: readonly CatalogModel[]; tokens: readonly Token[] }

function Playground({ models, tokens }: Props) {
  const { t } = useTranslation()
  const play = usePlay()
  const { state, isRunning, change } = play
  const [isCodeShown, setIsCodeShown] = useState(false)
  const token = useToken(tokens, models, state.tokenId)
  const chatting = chattingOf(models, token)
  const sides = useSides(play, chatting)
  if (models.every(({ api }) => api !== 'chat')) return <NoModels />
  const canSend = token !== undefined && chatting.length > 0 && hasValidParameters(state.parameters)
  return (
    <Page
      title={t('playTitle.nav')}
      width="table"
      actions={
        <>
          <CompareButton play={play} sides={sides} models={chatting} />
          <Button
            variant="default"
            leftSection={<Code size={14} aria-hidden />}
            onClick={() => setIsCodeShown(true)}
          >
            {t('play.page.code')}
          </Button>
          <ClearButton play={play} />
        </>
      }
    >
      <NoBalance />
      <div className={classes['page']}>
        <div className={classes['main']}>
          <div className={classes['sides']}>
            {sides.map((side, index) => (
              <SidePicker
                key={SIDES[index]}
                name={sides.length > 1 ? (SIDES[index] ?? '') : ''}
                side={side}
                models={chatting}
                onChange={(part) => change({ sides: sides.with(index, { ...side, ...part }) })}
              />
            ))}
          </div>
          <Turns play={play} sides={sides} token={canSend ? token : undefined} />
          {token === undefined ? (
            <TokenPicker tokens={tokens} value={null} onChange={() => {}} />
          ) : (
            <Composer
              isRunning={isRunning}
              isReady={canSend}
              onSend={(message) => play.send(message, sides, token)}
              onStop={play.stop}
            />
          )}
        </div>
        <Settings
          parameters={state.parameters}
          onChange={(part) => change({ parameters: { ...state.parameters, ...part } })}
        >
          {token && (
            <TokenPicker
              tokens={tokens}
              value={token.id}
              onChange={(tokenId) => change({ tokenId })}
            />
          )}
        </Settings>
      </div>
      {isCodeShown && (
        <LazyPart
          name={t('play.page.code')}
          load={loadCode}
          props={{
            body: requestOf(state.turns.length === 0 ? EXAMPLE : state.turns, 0, {
              model: sides[0]?.model ?? '',
              parameters: state.parameters,
            }),
            onClose: () => setIsCodeShown(false),
          }}
          onFail={() => setIsCodeShown(false)}
        />
      )}
    </Page>
  )
}

/** The code of an empty conversation is a whole request, too. */
const EXAMPLE: readonly Turn[] = [{ id: 'example', text: 'Hello', attachments: [], answers: [] }]

/** The chosen token; else the newest that allows the model of the address, or any that chats. */
function useToken(
  tokens: readonly Token[],
  models: readonly CatalogModel[],
  chosen: number | null,
): Token | undefined {
  const asked = useSearchParams()[0].get('model')
  const chats = tokens.filter((token) => chattingOf(models, token).length > 0)
  return (
    tokens.find(({ id }) => id === chosen) ??
    chats.find((token) => chattingOf(models, token).some(({ id }) => id === asked)) ??
    chats[0]
  )
}

/** Chat models that the token allows. */
function chattingOf(models: readonly CatalogModel[], token: Token | undefined) {
  const allowed = splitList(token?.models ?? '')
  return models.filter(
    ({ id, api }) => api === 'chat' && (allowed.length === 0 || allowed.includes(id)),
  )
}

/** Models that can be called, in place of those that are not chosen or no longer served. */
function useSides({ state }: Play, models: readonly CatalogModel[]): Side[] {
  const [params] = useSearchParams()
  const isServed = (model: string) => models.some(({ id }) => id === model)
  const usual = exampleModel(models).id
  const asked = params.get('model') ?? ''
  return state.sides.map((side, index) => {
    if (isServed(side.model)) return side
    return { ...side, model: index === 0 && isServed(asked) ? asked : usual }
  })
}

function CompareButton({
  play: { change, isRunning },
  sides,
  models,
}: {
  play: Play
  sides: readonly Side[]
  models: readonly CatalogModel[]
}) {
  const { t } = useTranslation()
  const [first = { model: '', channel: null }] = sides
  const isSingle = sides.length === 1
  const next = models.find(({ id }) => id !== first.model)?.id ?? first.model
  const both = [first, { model: next, channel: null }]
  return (
    <Button
      variant="default"
      disabled={isRunning}
      leftSection={isSingle ? <Columns2 size={14} aria-hidden /> : <Square size={14} aria-hidden />}
      onClick={() => change({ sides: isSingle ? both : [first] })}
    >
      {t(isSingle ? 'play.page.compare' : 'play.page.single')}
    </Button>
  )
}

function ClearButton({ play: { change, isRunning, state } }: { play: Play }) {
  const { t } = useTranslation()
  const clear = async () => {
    const yes = await confirm({
      title: t('play.page.clearTitle'),
      body: t('play.page.clearBody'),
      verb: t('play.page.clear'),
      danger: true,
    })
    if (yes) change({ turns: [] })
  }
  return (
    <Button
      variant="default"
      disabled={isRunning || state.turns.length === 0}
      leftSection={<Trash2 size={14} aria-hidden />}
      onClick={() => void clear()}
    >
      {t('play.page.clear')}
    </Button>
  )
}

type TurnsProps = { play: Play; sides: readonly Side[]; token: Token | undefined }

function Turns({ play, sides, token }: TurnsProps) {
  const { t } = useTranslation()
  const { turns } = play.state
  useFollow(turns, play.isRunning)
  return (
    <div
      className={classes['turns']}
      role="log"
      aria-live="off"
      aria-label={t('play.page.conversation')}
    >
      {turns.length === 0 && (
        <Empty title={t('play.page.emptyTitle')} body={t('play.page.emptyBody')} />
      )}
      {turns.map((turn) => (
        <TurnView
          key={turn.id}
          turn={turn}
          isLast={turn === turns.at(-1)}
          isRunning={play.isRunning}
          onRun={token && ((text) => play.rerun(turn.id, text, sides, token))}
          onResult={(side, call, result) => play.setResult({ turn: turn.id, side }, call, result)}
          onContinue={token && (() => play.send({ text: '', attachments: [] }, sides, token))}
        />
      ))}
    </div>
  )
}

function NoModels() {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  return (
    <Page title={t('playTitle.nav')} width="text">
      <Empty
        title={t('play.page.noModelTitle')}
        body={t('play.page.noModelBody')}
        action={
          isAdmin && (
            <Button component={Link} to="/channel/add">
              {t('play.page.addChannel')}
            </Button>
          )
        }
      />
    </Page>
  )
}
