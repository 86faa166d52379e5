import type { OptionValues } from '@tollgate/contract'

/** What links to the console and return addresses begin with; empty while neither is set. */
export const consoleAddress = ({
  ConsoleAddress,
  ServerAddress,
}: Pick<OptionValues, 'ConsoleAddress' | 'ServerAddress'>): string =>
  ConsoleAddress || ServerAddress
