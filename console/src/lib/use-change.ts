import { useMutation, useQueryClient } from '@tanstack/react-query'

type Key = readonly unknown[]

/**
 * Mutation that changes list rows. Reloads the list afterwards even on failure, since a row may be
 * gone.
 */
export function useChange<Input, Result>(listKey: Key, change: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  })
}

type ListData<Row> = { data: Row[] } | undefined

type RowChange<Row, Input> = {
  listKey: Key
  /** What else shows the row, such as its own page. */
  alsoKey?: (row: Row) => Key
  /** Optimistic values, shown immediately. */
  guess: (input: Input, row: Row) => Partial<Row>
  change: (row: Row, input: Input) => Promise<Partial<Row>>
}

/** Updates one row optimistically and restores it when the server refuses. */
export function useRowChange<Row extends { id: number }, Input>(settings: RowChange<Row, Input>) {
  const { listKey, alsoKey, guess, change } = settings
  const client = useQueryClient()
  const mutationKey = [...listKey, 'change']
  // Reloading while another change is in flight would briefly show that change undone.
  const isLast = () => client.isMutating({ mutationKey }) === 1
  const isList = ({ queryKey }: { queryKey: Key }) => queryKey.includes('list')
  const show = ({ id }: Row, part: object) =>
    client.setQueriesData<ListData<Row>>(
      { queryKey: listKey, predicate: isList },
      (answered) =>
        answered && {
          ...answered,
          data: answered.data.map((row) => (row.id === id ? { ...row, ...part } : row)),
        },
    )
  return useMutation({
    mutationKey,
    mutationFn: ({ row, input }: { row: Row; input: Input }) => change(row, input),
    onMutate: async ({ row, input }) => {
      await client.cancelQueries({ queryKey: listKey })
      show(row, guess(input, row))
    },
    onSuccess: (answer, { row }) => {
      if (isLast()) show(row, answer)
    },
    onError: (_error, { row, input }) => {
      const changed = Object.keys(guess(input, row))
      show(row, Object.fromEntries(Object.entries(row).filter(([name]) => changed.includes(name))))
    },
    // Also runs after a failure, because the mutation cancelled any reload in flight.
    onSettled: (_answer, _error, { row }) => {
      if (alsoKey) void client.invalidateQueries({ queryKey: alsoKey(row) })
      if (isLast()) void client.invalidateQueries({ queryKey: listKey })
    },
  })
}
