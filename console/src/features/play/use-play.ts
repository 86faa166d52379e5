import { useEffect, useRef, useState } from 'react'
import type { Token } from '@tollgate/contract'
import { RelayError } from '../../lib/relay/read-answer.ts'
import { sendChat } from '../../lib/relay/send-chat.ts'
import { useSession } from '../../lib/session.ts'
import { useRelayBase } from '../../lib/status.ts'
import {
  type Answer,
  newAnswer,
  type RequestBody,
  requestOf,
  restartedAt,
  type Turn,
  withAnswer,
  withDelta,
} from './conversation.ts'
import { onOtherPlay, type PlayState, readPlay, type Side, storePlay } from './stored-play.ts'

/** State of the page, kept in this browser, and the requests that run. */
export function usePlay() {
  const { state, setState, isRunning } = usePlayState()
  const { run, stop } = useRuns(setState)

  const start = (turns: readonly Turn[], sides: readonly Side[], token: Token) => {
    const last = turns.at(-1)
    if (last === undefined) return
    const answers = sides.map(({ model }) => newAnswer(model))
    const asked = turns.map((turn) => (turn === last ? { ...turn, answers } : turn))
    setState((current) => ({ ...current, turns: asked }))
    for (const [index, { model, channel }] of sides.entries()) {
      const key = channel === null ? `sk-${token.key}` : `sk-${token.key}-${channel}`
      const body = requestOf(asked, index, { model, parameters: state.parameters })
      void run({ turn: last.id, side: index }, { key, body })
    }
  }

  return {
    state,
    isRunning,
    stop,
    change: (part: Partial<PlayState>) => setState((current) => ({ ...current, ...part })),
    send: (message: Pick<Turn, 'text' | 'attachments'>, sides: readonly Side[], token: Token) =>
      start([...state.turns, { ...message, id: newId(), answers: [] }], sides, token),
    rerun: (id: string, text: string, sides: readonly Side[], token: Token) =>
      start(restartedAt(state.turns, id, { text, id: newId() }), sides, token),
    setResult: (place: Place, call: number, result: string) =>
      setState((current) =>
        withChange(current, place, (answer) => withResult(answer, call, result)),
      ),
  }
}

function usePlayState() {
  const userId = useSession()?.id ?? 0
  const [state, setState] = useState(() => readPlay(userId))
  const isRunning = isAnswering(state)
  const latest = useRef(state)
  useEffect(() => {
    latest.current = state
  }, [state])
  useEffect(() => {
    if (!isRunning) storePlay(userId, state)
  }, [userId, state, isRunning])
  useEffect(() => {
    // Requests end with the page, and what they have brought so far is kept.
    const keepRunning = () => {
      if (isAnswering(latest.current)) storePlay(userId, latest.current)
    }
    window.addEventListener('pagehide', keepRunning)
    return () => {
      window.removeEventListener('pagehide', keepRunning)
      keepRunning()
    }
  }, [userId])
  useEffect(
    () =>
      // Otherwise the next message of this tab would overwrite those of the other.
      onOtherPlay(userId, (other) => {
        if (!isAnswering(latest.current)) setState(other)
      }),
    [userId],
  )
  return { state, setState, isRunning }
}

const isAnswering = ({ turns }: PlayState) =>
  turns.some(({ answers }) => answers.some((answer) => answer?.state === 'running'))

/** Requests end with the page. */
function useRuns(setState: (change: (current: PlayState) => PlayState) => void) {
  const running = useRef(new Set<AbortController>())
  const base = useRelayBase()
  useEffect(() => {
    const { current } = running
    return () => {
      for (const controller of current) controller.abort()
    }
  }, [])

  const run = async (place: Place, { key, body }: { key: string; body: RequestBody }) => {
    const controller = new AbortController()
    running.current.add(controller)
    const startedAt = performance.now()
    const edit = (by: (answer: Answer) => Answer) =>
      setState((current) => withChange(current, place, by))
    try {
      await sendChat({
        base,
        key,
        body,
        signal: controller.signal,
        onStart: (requestId) => edit((answer) => ({ ...answer, requestId })),
        onDelta: (delta) =>
          edit((answer) => withDelta(answer, delta, performance.now() - startedAt)),
      })
      edit((answer) => ({ ...answer, state: 'finished' }))
    } catch (error) {
      edit((answer) =>
        controller.signal.aborted
          ? { ...answer, state: 'stopped' }
          : { ...answer, state: 'failed', ...failureOf(error) },
      )
    } finally {
      running.current.delete(controller)
    }
  }

  const stop = () => {
    for (const controller of running.current) controller.abort()
  }
  return { run, stop }
}

export type Play = ReturnType<typeof usePlay>

/** An answer: its turn and its side. */
type Place = { turn: string; side: number }

const withChange = (state: PlayState, place: Place, change: (answer: Answer) => Answer) => ({
  ...state,
  turns: withAnswer(state.turns, place, change),
})

const withResult = (answer: Answer, call: number, result: string): Answer => ({
  ...answer,
  calls: answer.calls.map((known) => (known.index === call ? { ...known, result } : known)),
})

function failureOf(error: unknown): Pick<Answer, 'error' | 'errorCode'> {
  return {
    error: error instanceof Error ? error.message : String(error),
    errorCode: error instanceof RelayError ? error.code : '',
  }
}

/** Not `crypto.randomUUID`, which exists only over HTTPS. */
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
