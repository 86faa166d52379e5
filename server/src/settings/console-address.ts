import type { OptionValues } from '@tollgate/contract'

/** Base of links to the console and of return addresses; empty if neither option is set. */
export const consoleAddress = ({
  ConsoleAddress,
  ServerAddress,
}: Pick<OptionValues, 'ConsoleAddress' | 'ServerAddress'>): string =>
  ConsoleAddress || ServerAddress
