import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react'
import type { MessageKey } from '../../i18n/types.ts'
import {
  currentLocation,
  hrefOf,
  isBackOrForward,
  navigate,
  type NavigateOptions,
  onLocation,
} from './history.ts'
import { matchRoute, type Params } from './match.ts'

export type Route = {
  /** Segments that begin with a colon are parameters; `*` matches every address. */
  path: string
  title: MessageKey
  /** Path of the menu entry that the page belongs to. */
  section?: string | undefined
  element: ReactNode
}

const Current = createContext<{ route: Route; params: Params } | undefined>(undefined)

type RouterProps = { routes: readonly Route[]; children: ReactNode }

export function Router({ routes, children }: RouterProps) {
  const { pathname } = useLocation()
  const current = useMemo(() => matchRoute(routes, pathname), [routes, pathname])
  return <Current value={current}>{children}</Current>
}

export const useLocation = () => useSyncExternalStore(onLocation, currentLocation)

export const useRoute = () => useContext(Current)?.route

export const useParams = (): Params => useContext(Current)?.params ?? {}

/** Whether the reader came to the current page by the browser's back or forward button. */
export const useIsBackOrForward = () => useSyncExternalStore(onLocation, isBackOrForward)

export type NavigateFunction = typeof navigate

export const useNavigate = (): NavigateFunction => navigate

type Query = Record<string, string> | URLSearchParams
type QueryChange = Query | ((current: URLSearchParams) => Query)

export function useSearchParams() {
  const { search } = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback((next: QueryChange, options?: NavigateOptions) => {
    const before = new URLSearchParams(currentLocation().search)
    const query = new URLSearchParams(typeof next === 'function' ? next(before) : next)
    void navigate(`?${query}`, options)
  }, [])
  return [params, change] as const
}

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: string; state?: unknown }

const isPlainClick = ({ button, metaKey, altKey, ctrlKey, shiftKey }: MouseEvent) =>
  button === 0 && !(metaKey || altKey || ctrlKey || shiftKey)

/** A link within the console. A click that asks for another tab is left to the browser. */
export function Link({ to, state, onClick, target, ...rest }: LinkProps) {
  const onAnyClick = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || !isPlainClick(event) || (target ?? '_self') !== '_self') return
    event.preventDefault()
    const { pathname, search, hash } = currentLocation()
    // A link to the current page adds no step back.
    void navigate(to, { state, replace: to === pathname + search + hash })
  }
  return <a {...rest} target={target} href={hrefOf(to)} onClick={onAnyClick} />
}

/** Goes elsewhere as soon as it is shown. */
export function Navigate({ to, state }: { to: string; state?: unknown }) {
  useEffect(() => void navigate(to, { replace: true, state }), [to, state])
  return null
}
