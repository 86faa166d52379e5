import { useMutation, useQueryClient } from '@tanstack/react-query'

type Key = readonly unknown[]

/** Anything that changes rows of a list; it is read again afterwards, also when a row was gone. */
export function useChange<Input, Result>(listKey: Key, change: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  })
}

type Answered<Row> = { data: Row[] } | undefined

type RowChange<Row, Input> = {
  listKey: Key
  /** What the row will be when it goes well, shown at once. */
  guess: (input: Input) => Partial<Row>
  /** Answers what the row is then. */
  change: (row: Row, input: Input) => Promise<Partial<Row>>
}

/** Shows a change of one row before the server knows of it, and puts it back when that refuses. */
export function useRowChange<Row extends { id: number }, Input>(settings: RowChange<Row, Input>) {
  const { listKey, guess, change } = settings
  const client = useQueryClient()
  const mutationKey = [...listKey, 'change']
  // What is read while another change is under way would show that one undone for a moment.
  const isLast = () => client.isMutating({ mutationKey }) === 1
  const isList = ({ queryKey }: { queryKey: Key }) => queryKey.includes('list')
  const show = ({ id }: Row, part: object) =>
    client.setQueriesData<Answered<Row>>(
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
      show(row, guess(input))
    },
    onSuccess: (answer, { row }) => {
      if (isLast()) show(row, answer)
    },
    onError: (_error, { row, input }) => {
      const changed = Object.keys(guess(input))
      show(row, Object.fromEntries(Object.entries(row).filter(([name]) => changed.includes(name))))
    },
    // Also for what was being read when the change began: that was cancelled.
    onSettled: () => {
      if (isLast()) void client.invalidateQueries({ queryKey: listKey })
    },
  })
}
