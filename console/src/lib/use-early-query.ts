import {
  type QueryFunction,
  type QueryKey,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from '@tanstack/react-query'

type Options<Answer, Key extends QueryKey> = Omit<
  UseQueryOptions<Answer, Error, Answer, Key>,
  'queryFn'
> & { queryFn?: QueryFunction<Answer, Key> }

/**
 * `useQuery` sends its request when the page has been drawn. This hook sends it when the drawing
 * begins, which on a slow phone takes as long as the answer does.
 */
export function useEarlyQuery<Answer, Key extends QueryKey>(
  options: Options<Answer, Key>,
  enabled = true,
) {
  const { queryKey, queryFn, meta = {} } = options
  const client = useQueryClient()
  if (queryFn && enabled && client.getQueryState(queryKey) === undefined) {
    // `useQuery` has the failure too.
    client.query({ queryKey, queryFn, meta }).catch(() => undefined)
  }
  return useQuery({ ...options, enabled })
}
